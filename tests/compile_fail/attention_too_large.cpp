// SPDX-License-Identifier: MIT
// expected: needs features divisible by heads, all above 0 and at most 1,048,576
#include <sinter/sinter.hpp>
using namespace sinter;
struct Net : Sequential<Input<3, 8>, MultiheadAttention<2147483647, 1>> {};
Network<Net> net;
