// SPDX-License-Identifier: MIT
// expected: sinter: this loss is made for another head
#include <sinter/sinter.hpp>
using namespace sinter;
struct Net : Sequential<Input<1, 4, 4>, Heads<Path<Conv2d<3, 1>>, Path<Conv2d<2, 1>>>> {};
auto loss = head_losses<Net>(at_each_pixel<Net, 1>(CrossEntropyLoss{}), MSELoss{});
