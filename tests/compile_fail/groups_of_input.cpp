// expected: a layer does not accept the shape it gets
// expected: layer_accepts<0,
// expected: {3, 3, 8, 8}
// expected: channels_divisible_by_groups
// SPDX-License-Identifier: MIT
#include <sinter/sinter.hpp>
using namespace sinter;

struct Bad : Sequential<Input<3, 8, 8>, Conv2d<4, 3, Groups<2>>> {};
Network<Bad> net;
