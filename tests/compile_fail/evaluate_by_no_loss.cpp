// expected: sinter: this is not a loss
// SPDX-License-Identifier: MIT
#include <sinter/sinter.hpp>
using namespace sinter;

struct Net : Sequential<Input<2>, Linear<2>> {};
auto judge(Network<Net>& net) { return evaluate(net, disc(10, 1), SGD{.lr = 0.1}).loss; }
