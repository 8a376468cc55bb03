// SPDX-License-Identifier: MIT
// expected: sinter: the sizes of AdaptiveMaxPool2d are 1 or more
#include <sinter/sinter.hpp>
using namespace sinter;
struct Net : Sequential<Input<1, 5, 5>, AdaptiveMaxPool2d<2, 0>, Flatten, Linear<2>> {};
Network<Net> net;
