// SPDX-License-Identifier: MIT
// Products on tensor cores, of whole layers and of windows.
#include "sinter/sinter.cuh"

namespace {
using namespace sinter;

struct Net : Sequential<Input<3, 16, 16>, Conv2d<32, 3, Padding<1>>, ReLU, MaxPool2d<2>, Conv2d<16, 3>, ReLU, Flatten,
                        Linear<64>, ReLU, Linear<10>> {};

template <CudaProducts Products>
float loss(const Tensor<float, Net::InputRow>& x, const std::vector<int>& labels) {
  Network<Net, CudaWith<CudaPlan::layers, Products>> net{{.seed = 1}};
  Trainer trainer{net, CrossEntropyLoss{}, SGD{.lr = 0.01}};
  return trainer.step(x, labels);
}
}  // namespace

float losses(const Tensor<float, Net::InputRow>& x, const std::vector<int>& labels);
float losses(const Tensor<float, Net::InputRow>& x, const std::vector<int>& labels) {
  return loss<CudaProducts::tf32x3>(x, labels) + loss<CudaProducts::tf32>(x, labels) +
         loss<CudaProducts::bf16>(x, labels);
}
