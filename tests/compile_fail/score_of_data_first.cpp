// SPDX-License-Identifier: MIT
// expected: sinter: the network comes before the data: score(net, data)
#include <sinter/sinter.hpp>
using namespace sinter;
struct Net : Sequential<Input<2>, Linear<2>> {};
void judge(const Network<Net>& net) { score(disc(10, 1), net); }
