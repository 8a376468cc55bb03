// expected: sinter: evaluate takes a loss: evaluate(net, data, CrossEntropyLoss{})
// SPDX-License-Identifier: MIT
#include <sinter/sinter.hpp>
using namespace sinter;

struct Net : Sequential<Input<2>, Linear<2>> {};

auto judge(const Network<Net>& net) { return evaluate(net, disc(10, 1)); }
