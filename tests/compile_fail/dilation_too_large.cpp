// SPDX-License-Identifier: MIT
// expected: sinter: the numbers of a Conv2d are 1 or more, and its padding is not negative; none is above 16,777,216
#include <sinter/sinter.hpp>
using namespace sinter;
struct Net : Sequential<Input<3, 8, 8>, Conv2d<4, 3, Dilation<2147483647>>> {};
Network<Net> net;
