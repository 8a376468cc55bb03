// expected: sinter: the numbers of a Conv2d are 1 or more, and its padding is not negative
// SPDX-License-Identifier: MIT
#include <sinter/sinter.hpp>
using namespace sinter;

struct Bad : Sequential<Input<3, 8, 8>, Conv2d<4, 3, Stride<0>>, Flatten, Linear<10>> {};
Network<Bad> net;
