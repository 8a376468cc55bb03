// expected: sinter: Streams take no strides, pools or groups, and nothing that looks ahead: use N objects of Stream
// SPDX-License-Identifier: MIT
#include <sinter/inference.hpp>
using namespace sinter;
struct Net : Sequential<Input<1, 64>, Conv1d<4, 2, Causal, Stride<2>>> {};
void play(const StreamWeights<Net>& weights, float* x) {
  Streams<Net, 8> streams(weights);
  streams.push({x, 8}, {x, 32});
}
