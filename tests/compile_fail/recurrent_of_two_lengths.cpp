// expected: a_path_to_steps_of_features_and_one_length_and_as_many_numbers_of_the_first_state_as_its_layer_has
// expected: layer_accepts<0,
// SPDX-License-Identifier: MIT
#include <sinter/sinter.hpp>
using namespace sinter;

struct Bad : Sequential<Input<14>, Recurrent<GRU<8>, Path<Slice<2, 12>, Reshape<4, 3>>, Lengths<Slice<0, 2>>>> {};
Network<Bad> net;
