// SPDX-License-Identifier: MIT
// expected: sinter: GRU takes FinalState, LearnedState, NumLayers, Bidirectional, DropoutBetween, NoBias, once
#include <sinter/sinter.hpp>
using namespace sinter;
struct Net : Sequential<Input<6, 2>, GRU<4, Causal>> {};
Network<Net> net;
