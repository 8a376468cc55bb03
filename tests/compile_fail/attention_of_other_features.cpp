// SPDX-License-Identifier: MIT
// expected: sinter: a layer does not accept the shape it gets
// expected: MultiheadAttention<16, 4>
// expected: {2, 5, 1, 12}
// expected: a_sequence_of_steps_and_as_many_features_as_its_first_number
#include <sinter/sinter.hpp>
using namespace sinter;
struct Net : Sequential<Input<5, 12>, MultiheadAttention<16, 4>, Flatten, Linear<2>> {};
Network<Net> net;
