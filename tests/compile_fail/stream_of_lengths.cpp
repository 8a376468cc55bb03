// expected: sinter: a layer of this model cannot stream: see layer_streams<number, layer, why>
// SPDX-License-Identifier: MIT
#include <sinter/inference.hpp>
using namespace sinter;
struct Net : Sequential<Input<50, 3>, Recurrent<RNN<4>, Path<>, Lengths<Slice<0, 1>, Slice<0, 1, 2>>>> {};
void play(const StreamWeights<Net>& weights, float* x) {
  Stream<Net> stream(weights);
  stream.push({x, 3}, {x, 16});
}
