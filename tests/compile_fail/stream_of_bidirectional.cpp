// expected: sinter: a layer of this model cannot stream: see layer_streams<number, layer, why>
// expected: layer<1>
// expected: a_cell_that_begins_at_the_end_of_the_sequence
// SPDX-License-Identifier: MIT
#include <sinter/inference.hpp>
using namespace sinter;
struct Net : Sequential<Input<50, 3>, RNN<4>, GRU<8, Bidirectional>> {};
void play(const StreamWeights<Net>& weights, float* x) {
  Stream<Net> stream(weights);
  stream.push({x, 3}, {x, 16});
}
