// expected: sinter: a Sequential begins with the shape of a sample: Input<1, 28, 28>
// SPDX-License-Identifier: MIT
#include <sinter/sinter.hpp>
using namespace sinter;

struct Bad : Sequential<Conv2d<10, 5>, Flatten, Linear<10>> {};
Network<Bad> net;
