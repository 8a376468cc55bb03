// expected: sinter: a shape is <features> or <channels, height, width>
// SPDX-License-Identifier: MIT
#include <sinter/sinter.hpp>
using namespace sinter;

struct Bad : Sequential<Input<28, 28>, Flatten, Linear<10>> {};
Network<Bad> net;
