// expected: sinter: ProjectionSize is 1 or more, and less than the hidden units: LSTM<64, ProjectionSize<16>>
// SPDX-License-Identifier: MIT
#include <sinter/sinter.hpp>
using namespace sinter;

struct Bad : Sequential<Input<10, 3>, LSTM<8, ProjectionSize<8>>> {};
Network<Bad> net;
