// SPDX-License-Identifier: MIT
// expected: take the number of a head of Net, from 0, or its name
#include <sinter/sinter.hpp>
using namespace sinter;
struct Net : Sequential<Input<1, 4, 4>, Heads<Named<"mask", Path<Conv2d<3, 1>>>, Path<Conv2d<2, 1>>>> {};
auto loss = at_each_pixel<Net, "masks">(CrossEntropyLoss{});
