// expected: sinter: Conv2d needs output channels divisible by its groups
// SPDX-License-Identifier: MIT
#include <sinter/sinter.hpp>
using namespace sinter;

struct Net : Sequential<Input<3, 28, 28>, Conv2d<10, 5, Groups<3>>, Flatten, Linear<10>> {};
Network<Net> net;
