// expected: sinter: a layer of this model cannot stream: see layer_streams<number, layer, why>
// expected: MultiheadAttention<12, 3
// expected: numbers_made_of_all_moments
// SPDX-License-Identifier: MIT
#include <sinter/sinter.hpp>
using namespace sinter;
struct Net : Sequential<Input<50, 12>, PositionalEncoding, MultiheadAttention<12, 3>> {};  // not Causal
static_assert(stream_bytes<Net> < 4096);
