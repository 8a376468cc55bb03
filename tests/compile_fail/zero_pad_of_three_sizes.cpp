// expected: sinter: ZeroPad2d takes one size, or left, right, top and bottom
// SPDX-License-Identifier: MIT
#include <sinter/sinter.hpp>
using namespace sinter;
struct Net : Sequential<Input<3, 6, 6>, ZeroPad2d<1, 2, 1>> {};
Network<Net> net;
