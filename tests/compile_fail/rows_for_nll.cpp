// expected: sinter: this loss compares with class numbers
// expected: labels
// SPDX-License-Identifier: MIT
#include <sinter/sinter.hpp>
using namespace sinter;

struct Net : Sequential<Input<2>, Linear<8>, ReLU, Linear<2>, LogSoftmax> {};

void train(Network<Net>& net, const Tensor<float, Shape<2>>& x, const Tensor<float, Shape<2>>& y) {
  Trainer trainer{net, NLLLoss{}, SGD{.lr = 0.1}};
  trainer.step(x, y);
}
