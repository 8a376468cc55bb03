// SPDX-License-Identifier: MIT
// expected: sinter: a layer does not accept the shape it gets
// expected: a_row_of_features_with_the_state_behind_them
#include <sinter/sinter.hpp>
using namespace sinter;
struct Net : Sequential<Input<16>, LSTMCell<8>> {};
Network<Net> net;
