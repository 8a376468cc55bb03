// SPDX-License-Identifier: MIT
// expected: a_sequence_of_these_steps_and_features
#include <sinter/sinter.hpp>
using namespace sinter;
struct Net : Sequential<Input<3, 8>, PositionEmbedding<65536, 65536>> {};
Network<Net> net;
