// expected: sinter: a layer of this model cannot stream: see layer_streams<number, layer, why>
// expected: moments_as_features_of_one_row
// SPDX-License-Identifier: MIT
#include <sinter/sinter.hpp>
using namespace sinter;
struct Net : Sequential<Input<1, 50>, Conv1d<4, 3, Causal>, Flatten, Linear<2>> {};
StreamWeights<Net> weights(Network<Net>{});
