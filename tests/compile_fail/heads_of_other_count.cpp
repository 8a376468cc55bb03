// SPDX-License-Identifier: MIT
// expected: sinter: head_losses<Net>(..) takes a loss for each head of a network that ends in Heads<..>
#include <sinter/sinter.hpp>
using namespace sinter;
struct Net : Sequential<Input<4>, Heads<Path<Linear<3>>, Path<Linear<2>>>> {};
const auto loss = head_losses<Net>(CrossEntropyLoss{});
