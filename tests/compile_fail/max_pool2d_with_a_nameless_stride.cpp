// expected: no_further_number_for_inputs_follow_from_the_layer_before_and_options_have_names_like_Stride
// expected: layer_accepts<1,
// SPDX-License-Identifier: MIT
#include <sinter/sinter.hpp>
using namespace sinter;

struct Bad : Sequential<Input<3, 32, 32>, Conv2d<16, 3>, MaxPool2d<2, 2>, Conv2d<8, 3>, MaxPool2d<2, 2>> {};
Network<Bad> net;
