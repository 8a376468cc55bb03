// SPDX-License-Identifier: MIT
// expected: sinter: Rotary turns pairs of the features of a head: their number is even
#include <sinter/sinter.hpp>
using namespace sinter;
struct Net : Sequential<Input<5, 12>, MultiheadAttention<12, 4, Causal, Rotary>, Flatten, Linear<2>> {};
Network<Net> net;
