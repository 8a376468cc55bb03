// expected: sinter: Conv2d needs output channels divisible by its groups
// SPDX-License-Identifier: MIT
#include <sinter/sinter.hpp>
using namespace sinter;

struct Net : Sequential<Input<1, 28, 28>, Conv2d<10, 5, Groups<3>>, Flatten, Linear<10>> {};
void train(Network<Net>& net, const Mnist& digits) {
  fit(net, digits.train, CrossEntropyLoss{}, SGD{.lr = 0.1}, {.validation = &digits.test});
}
