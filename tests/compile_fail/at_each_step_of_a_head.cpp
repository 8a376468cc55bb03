// SPDX-License-Identifier: MIT
// expected: sinter: this loss is made for another head
#include <sinter/sinter.hpp>
using namespace sinter;
struct Part : Sequential<Input<6, 2>, GRU<4>> {};
struct Net : Sequential<Input<12>, Heads<Path<Linear<24>>, Path<Linear<2>>>> {};
auto loss = head_losses<Net>(at_each_step<Part>(CrossEntropyLoss{}), MSELoss{});
