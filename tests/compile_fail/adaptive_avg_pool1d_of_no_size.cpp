// SPDX-License-Identifier: MIT
// expected: sinter: the length of AdaptiveAvgPool1d is 1 or more
#include <sinter/sinter.hpp>
using namespace sinter;
struct Net : Sequential<Input<1, 5>, AdaptiveAvgPool1d<0>, Flatten, Linear<2>> {};
Network<Net> net;
