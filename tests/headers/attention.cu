// SPDX-License-Identifier: MIT
// Products of two values and blocks of transformers: their kernels call nothing of the host's, of which nvcc only warns.
#include <sinter/sinter.cuh>
#include <vector>

namespace {
using namespace sinter;
struct Net : Sequential<Input<5, 4>, PositionEmbedding<5, 4>, PositionalEncoding, RotaryEmbedding<4>,
                        MultiheadAttention<4, 2, Causal>, TransformerEncoderLayer<4, 2, 6, WithActivation<GELU>>,
                        Mean<1>, Linear<3>, LogSoftmax> {};
}  // namespace

float train() {
  Network<Net, CudaWith<CudaPlan::pair>> net;
  Trainer trainer{net, NLLLoss{}, SGD{.lr = 0.1}};
  const Tensor<float, Shape<5, 4>> x(3);
  return trainer.step(x, std::vector<int>(3));
}
