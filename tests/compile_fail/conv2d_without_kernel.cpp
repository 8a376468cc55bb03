// expected: sinter: Conv2d needs its kernel once: Conv2d<10, 5> or Conv2d<10, Kernel<3, 5>>
// SPDX-License-Identifier: MIT
#include <sinter/sinter.hpp>
using namespace sinter;

struct Bad : Sequential<Input<3, 8, 8>, Conv2d<4>, Flatten, Linear<10>> {};
Network<Bad> net;
