// expected: no_further_number_for_inputs_follow_from_the_layer_before_and_options_have_names_like_Stride
// SPDX-License-Identifier: MIT
#include <sinter/sinter.hpp>
using namespace sinter;

struct Bad : Sequential<Input<3, 32>, Conv1d<3, 16, 3>, ReLU, Conv1d<16, 8, 3>, Flatten, Linear<2>> {};
Network<Bad> net;
