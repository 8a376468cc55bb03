// SPDX-License-Identifier: MIT
// expected: sinter: at_each_pixel<Net>(..) takes a network whose outputs are [Classes, Height, Width] or [Classes, Length]
#include <sinter/sinter.hpp>
using namespace sinter;
struct Net : Sequential<Input<2>, Linear<3>> {};
auto loss = at_each_pixel<Net>(CrossEntropyLoss{});
