// SPDX-License-Identifier: MIT
// expected: sinter: DropoutBetween is 0 to 1, and needs NumLayers<2> or more
#include <sinter/sinter.hpp>
using namespace sinter;
struct Net : Sequential<Input<6, 2>, LSTM<4, DropoutBetween<0.5>>> {};
Network<Net> net;
