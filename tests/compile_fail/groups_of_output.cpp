// expected: sinter: Conv2d needs output channels divisible by its groups
// SPDX-License-Identifier: MIT
#include <sinter/sinter.hpp>
using namespace sinter;

struct Bad : Sequential<Input<3, 8, 8>, Conv2d<4, 3, Groups<3>>, Flatten, Linear<10>> {};
Network<Bad> net;
