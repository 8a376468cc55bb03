// SPDX-License-Identifier: MIT
// expected: sinter: a layer does not accept the shape it gets
// expected: RotaryEmbedding<4>
// expected: a_sequence_of_steps_whose_features_are_divisible_by_that_number
#include <sinter/sinter.hpp>
using namespace sinter;
struct Net : Sequential<Input<5, 6>, RotaryEmbedding<4>, Flatten, Linear<2>> {};
Network<Net> net;
