// expected: no_further_number_for_inputs_follow_from_the_layer_before_and_options_have_names_like_Stride
// expected: inner_layer_accepts
// SPDX-License-Identifier: MIT
#include <sinter/sinter.hpp>
using namespace sinter;

struct Bad : Sequential<Input<3, 32, 32>, Path<Conv2d<16, 3, 2>, ReLU>, Conv2d<8, 3, 2>, Flatten, Linear<2>> {};
Network<Bad> net;
