// expected: sinter: a layer of this model cannot stream: see layer_streams<number, layer, why>
// expected: PositionalEncoding
// expected: a_constant_for_each_moment
// SPDX-License-Identifier: MIT
#include <sinter/sinter.hpp>
using namespace sinter;
struct Net : Sequential<Input<50, 3>, RNN<4>, PositionalEncoding> {};
static_assert(stream_bytes<Net> < 4096);
