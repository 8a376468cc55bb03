// expected: sinter: a layer of this model has no int8 arithmetic: see layer_has_int8<number, layer, why>
// expected: a_recurrence
// SPDX-License-Identifier: MIT
#include <sinter/int8.hpp>
#include <sinter/layers/all.hpp>
using namespace sinter;
struct Net : Sequential<Input<3, 7>, GRU<5>, Flatten, Linear<2>> {};
void run(Network<Net, Reference>& net) { FakeQuantizeWeights weights{net}; }
