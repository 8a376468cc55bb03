// SPDX-License-Identifier: MIT
// expected: sinter: a network on a GPU keeps no batch from forward(x) to backward(dy): give both to backward(x, dy)
#include <sinter/sinter.cuh>
using namespace sinter;
struct Net : Sequential<Input<2>, Linear<2>> {};
void train(Trainer<Network<Net, Cuda>, MSELoss, SGD>& trainer, const Tensor<float, Shape<2>>& x) { trainer.forward(x); }
