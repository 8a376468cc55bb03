// expected: sinter: this is not an optimizer; give SGD{.lr = 0.1}, Adam{} or another after the loss
// SPDX-License-Identifier: MIT
#include <sinter/sinter.hpp>
using namespace sinter;

struct Net : Sequential<Input<2>, Linear<2>> {};

void train(Network<Net>& net, const Tensor<float, Shape<2>>& x) {
  Trainer trainer{net, MSELoss{}};
  trainer.step(x, x);
  trainer.update();
}
