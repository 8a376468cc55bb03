// expected: sinter: Streams take no strides, pools or groups, and nothing that looks ahead: use N objects of Stream
// SPDX-License-Identifier: MIT
#include <sinter/inference.hpp>
using namespace sinter;
struct Net : Sequential<Input<12, 50>, Conv1d<12, 2, Causal, Groups<3>>> {};
void play(const StreamWeights<Net>& weights, float* x) {
  Streams<Net, 8> streams(weights);
  streams.push({x, 96}, {x, 96});
}
