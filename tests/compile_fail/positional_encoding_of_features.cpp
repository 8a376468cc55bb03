// SPDX-License-Identifier: MIT
// expected: sinter: a layer does not accept the shape it gets
// expected: PositionalEncoding
// expected: {1, 12, 1, 1}
// expected: a_sequence_of_steps_and_features
#include <sinter/sinter.hpp>
using namespace sinter;
struct Net : Sequential<Input<12>, PositionalEncoding, Linear<2>> {};
Network<Net> net;
