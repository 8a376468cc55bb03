// SPDX-License-Identifier: MIT
// Layers that read tables of what each value is made of: their kernels call nothing of the host's, of which nvcc only warns.
#include <sinter/sinter.cuh>
#include <vector>

namespace {
using namespace sinter;
struct Net : Sequential<Input<2, 3, 4>, ReflectionPad2d<1>, Conv2d<2, 3>, Tanh, Upsample<2, Bilinear>, Upsample<2>,
                        Flatten, Linear<5>, LogSoftmax> {};
}  // namespace

float train() {
  Network<Net, CudaWith<CudaPlan::pair>> net;
  Trainer trainer{net, NLLLoss{}, SGD{.lr = 0.1}};
  const Tensor<float, Shape<2, 3, 4>> x(3);
  return trainer.step(x, std::vector<int>(3));
}
