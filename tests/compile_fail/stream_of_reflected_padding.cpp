// expected: sinter: a layer of this model cannot stream: see layer_streams<number, layer, why>
// expected: numbers_that_move_to_other_moments
// SPDX-License-Identifier: MIT
#include <sinter/sinter.hpp>
using namespace sinter;
struct Net : Sequential<Input<1, 50>, ReflectionPad1d<2>, Conv1d<4, 5>> {};
constexpr int latency = stream_latency<Net>;
