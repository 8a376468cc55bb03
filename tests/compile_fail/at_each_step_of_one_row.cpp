// SPDX-License-Identifier: MIT
// expected: sinter: at_each_step<Net>(..) takes a network whose outputs are [Time, Classes], such as one that ends in PositionwiseLinear
#include <sinter/sinter.hpp>
using namespace sinter;
struct Net : Sequential<Input<6, 2>, GRU<4, FinalState>, Linear<3>> {};
auto loss = at_each_step<Net>(CrossEntropyLoss{});
