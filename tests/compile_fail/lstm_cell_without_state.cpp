// SPDX-License-Identifier: MIT
// expected: sinter: a layer does not accept the shape it gets
// expected: a_row_of_features_and_then_the_state
#include <sinter/sinter.hpp>
using namespace sinter;
struct Net : Sequential<Input<16>, LSTMCell<8>> {};
Network<Net> net;
