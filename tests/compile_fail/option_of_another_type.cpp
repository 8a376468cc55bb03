// expected: sinter: Conv2d takes Kernel, Stride, Padding, Dilation, Groups and NoBias, each at most once
// SPDX-License-Identifier: MIT
#include <sinter/sinter.hpp>
using namespace sinter;

struct Bad : Sequential<Input<3, 8, 8>, Conv2d<4, 3, 0.5>, Flatten, Linear<10>> {};
Network<Bad> net;
