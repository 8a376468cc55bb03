// expected: no_further_number_for_inputs_follow_from_the_layer_before_and_options_have_names_like_Stride
// expected: layer_accepts<1,
// SPDX-License-Identifier: MIT
#include <sinter/sinter.hpp>
using namespace sinter;

struct Bad : Sequential<Input<3, 32, 32>, Conv2d<16, 3>, BatchNorm2d<16>, ReLU, Conv2d<8, 3>, BatchNorm2d<8>> {};
Network<Bad> net;
