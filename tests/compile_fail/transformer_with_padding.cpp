// SPDX-License-Identifier: MIT
// expected: sinter: TransformerEncoderLayer takes NormFirst, Causal, Rotary, WithActivation, WithDropout, Epsilon
#include <sinter/sinter.hpp>
using namespace sinter;
struct Net : Sequential<Input<5, 12>, TransformerEncoderLayer<12, 2, 8, Padding<1>>, Flatten, Linear<2>> {};
Network<Net> net;
