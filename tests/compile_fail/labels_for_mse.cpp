// expected: sinter: this loss compares with rows of numbers
// expected: not labels
// SPDX-License-Identifier: MIT
#include <sinter/sinter.hpp>
using namespace sinter;

struct Net : Sequential<Input<2>, Linear<8>, ReLU, Linear<2>> {};

void train(Network<Net>& net, const Tensor<float, Shape<2>>& x, const std::vector<int>& labels) {
  Trainer trainer{net, MSELoss{}, SGD{.lr = 0.1}};
  trainer.step(x, labels);
}
