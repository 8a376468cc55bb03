// expected: no_further_number_for_inputs_follow_from_the_layer_before_and_options_have_names_like_Stride
// expected: layer_accepts<0,
// SPDX-License-Identifier: MIT
#include <sinter/sinter.hpp>
using namespace sinter;

struct Bad : Sequential<Input<20, 3>, LSTM<3, 16>, LSTM<16, 8, FinalState>, Linear<2>> {};
Network<Bad> net;
