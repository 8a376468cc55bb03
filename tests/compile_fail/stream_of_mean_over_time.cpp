// expected: sinter: a layer of this model cannot stream: see layer_streams<number, layer, why>
// expected: numbers_made_of_all_moments
// SPDX-License-Identifier: MIT
#include <sinter/sinter.hpp>
using namespace sinter;
struct Net : Sequential<Input<1, 50>, Conv1d<4, 3, Causal>, AdaptiveAvgPool1d<1>> {};
static_assert(stream_bytes<Net> < 4096);
