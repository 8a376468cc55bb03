// expected: sinter: this loss compares with rows of numbers
// expected: not labels
// SPDX-License-Identifier: MIT
#include <sinter/sinter.hpp>
using namespace sinter;

struct Net : Sequential<Input<2>, Linear<8>, ReLU, Linear<2>> {};

double loss(const Network<Net>& net) { return evaluate(net, disc(100, 1), MSELoss{}).loss; }
