// expected: sinter: Streams take no strides, pools, groups, attention, positions, and nothing that looks ahead: use N
// SPDX-License-Identifier: MIT
#include <sinter/inference.hpp>
using namespace sinter;
struct Net : Sequential<Input<50, 12>, MultiheadAttention<12, 3, Causal>> {};
void play(const StreamWeights<Net>& weights, float* x) {
  Streams<Net, 8> streams(weights);
  streams.push({x, 96}, {x, 96});
}
