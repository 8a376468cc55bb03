// expected: sinter: the sizes of AdaptiveAvgPool2d are 1 or more
// SPDX-License-Identifier: MIT
#include <sinter/sinter.hpp>
using namespace sinter;

struct Net : Sequential<Input<1, 28, 28>, Conv2d<8, 3>, AdaptiveAvgPool2d<0>, Flatten, Linear<10>> {};
Network<Net> net;
