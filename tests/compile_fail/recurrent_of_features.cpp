// SPDX-License-Identifier: MIT
// expected: sinter: a layer does not accept the shape it gets
// expected: a_sequence_of_steps_and_features
#include <sinter/sinter.hpp>
using namespace sinter;
struct Net : Sequential<Input<6>, LSTM<4>> {};
Network<Net> net;
