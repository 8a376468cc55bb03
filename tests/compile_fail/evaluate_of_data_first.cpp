// SPDX-License-Identifier: MIT
// expected: sinter: the network comes before the data: evaluate(net, data, CrossEntropyLoss{})
#include <sinter/sinter.hpp>
using namespace sinter;
struct Net : Sequential<Input<2>, Linear<2>> {};
void judge(const Network<Net>& net) { evaluate(disc(10, 1), net, CrossEntropyLoss{}); }
