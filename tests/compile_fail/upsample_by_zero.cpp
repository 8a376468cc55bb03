// expected: sinter: the factor of Upsample is 1 or more
// SPDX-License-Identifier: MIT
#include <sinter/sinter.hpp>
using namespace sinter;

struct Net : Sequential<Input<1, 28, 28>, Upsample<0>, Flatten, Linear<10>> {};
void train(Network<Net>& net, const Mnist& digits) {
  fit(net, digits.train, CrossEntropyLoss{}, SGD{.lr = 0.1}, {.validation = &digits.test});
}
