// expected: sinter: GRU takes FinalState, LearnedState, NumLayers, Bidirectional, DropoutBetween, NoBias, once
// SPDX-License-Identifier: MIT
#include <sinter/sinter.hpp>
using namespace sinter;

struct Bad : Sequential<Input<10, 3>, GRU<8, ProjectionSize<4>>> {};
Network<Bad> net;
