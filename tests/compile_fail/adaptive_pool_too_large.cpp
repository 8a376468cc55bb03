// SPDX-License-Identifier: MIT
// expected: sinter: a value of a network has at most 2,147,483,647 numbers, and with this layer there are more
#include <sinter/sinter.hpp>
using namespace sinter;
struct Net : Sequential<Input<3, 8, 8>, AdaptiveAvgPool2d<2147483647>> {};
Network<Net> net;
