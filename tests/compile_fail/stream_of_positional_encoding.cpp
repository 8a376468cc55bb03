// expected: sinter: a layer of this model cannot stream: see layer_streams<number, layer, why>
// expected: PositionalEncoding
// expected: a_constant_for_each_moment
// SPDX-License-Identifier: MIT
#include <sinter/sinter.hpp>
using namespace sinter;
struct Net : Sequential<Input<3, 50>, Conv1d<4, 1>, PositionalEncoding> {};  // numbers the channels
static_assert(stream_bytes<Net> < 4096);
