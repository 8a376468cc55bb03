// SPDX-License-Identifier: MIT
// expected: sinter: a step takes rows and their targets, (x, labels), or a dataset
#include <sinter/sinter.hpp>
using namespace sinter;
struct Net : Sequential<Input<2>, Linear<2>> {};
void train(Network<Net>& net, const Tensor<float, Shape<2>>& x) {
  Trainer trainer{net, MSELoss{}, SGD{}};
  trainer.step(x);
}
