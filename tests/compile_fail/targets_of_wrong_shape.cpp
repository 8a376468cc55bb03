// expected: sinter: the targets do not have the shape of the network's output
// SPDX-License-Identifier: MIT
#include <sinter/sinter.hpp>
using namespace sinter;

struct Net : Sequential<Input<2>, Linear<8>, ReLU, Linear<2>> {};

void train(Network<Net>& net, const Tensor<float, Shape<2>>& x, const Tensor<float, Shape<3>>& y) {
  Trainer trainer{net, MSELoss{}, SGD{.lr = 0.1}};
  trainer.step(x, y);
}
