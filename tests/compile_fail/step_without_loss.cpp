// expected: sinter: this Trainer has no loss to compare with targets: make it Trainer{net, MSELoss{}, optimizer}
// SPDX-License-Identifier: MIT
#include <sinter/sinter.hpp>
using namespace sinter;

struct Net : Sequential<Input<2>, Linear<2>> {};

void train(Network<Net>& net, const Tensor<float, Shape<2>>& x, const Tensor<float, Shape<2>>& wanted) {
  Trainer trainer{net, SGD{.lr = 0.1}};
  trainer.step(x, wanted);
}
