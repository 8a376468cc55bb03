// SPDX-License-Identifier: MIT
// expected: sinter: the losses of heads are of whole rows, not at_each_step or at_each_pixel
#include <sinter/sinter.hpp>
using namespace sinter;
struct Part : Sequential<Input<6, 2>, GRU<4>> {};
struct Net : Sequential<Input<12>, Heads<Path<Linear<24>>, Path<Linear<2>>>> {};
auto loss = head_losses<Net>(at_each_step<Part>(CrossEntropyLoss{}), MSELoss{});
