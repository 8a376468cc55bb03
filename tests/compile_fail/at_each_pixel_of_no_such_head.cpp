// SPDX-License-Identifier: MIT
// expected: sinter: the network has no head of that name or number: see is_one_of<given, heads>
// expected: masks
// expected: "mask"
#include <sinter/sinter.hpp>
using namespace sinter;
struct Net : Sequential<Input<1, 4, 4>, Heads<Named<"mask", Path<Conv2d<3, 1>>>, Path<Conv2d<2, 1>>>> {};
auto loss = at_each_pixel<Net, "masks">(CrossEntropyLoss{});
