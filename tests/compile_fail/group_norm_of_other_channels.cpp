// SPDX-License-Identifier: MIT
// expected: sinter: a layer does not accept the shape it gets
// expected: channels_divisible_by_the_groups
#include <sinter/sinter.hpp>
using namespace sinter;
struct Net : Sequential<Input<6, 8, 8>, GroupNorm<4>> {};
Network<Net> net;
