// expected: sinter: a shape is <features>, <channels, length> or <channels, height, width>
// SPDX-License-Identifier: MIT
#include <sinter/sinter.hpp>
using namespace sinter;

struct Bad : Sequential<Input<1, 28, 28, 3>, Flatten, Linear<10>> {};
Network<Bad> net;
