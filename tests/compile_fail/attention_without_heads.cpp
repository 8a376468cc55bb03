// SPDX-License-Identifier: MIT
// expected: sinter: MultiheadAttention<features, heads> needs features divisible by heads, all above 0
#include <sinter/sinter.hpp>
using namespace sinter;
struct Net : Sequential<Input<5, 12>, MultiheadAttention<12, 0, Rotary>, Flatten, Linear<2>> {};
Network<Net> net;
