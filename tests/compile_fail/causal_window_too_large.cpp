// SPDX-License-Identifier: MIT
// expected: sinter: the numbers of a Conv1d are 1 or more, and its padding is not negative; none is above 16,777,216, nor is the reach
#include <sinter/sinter.hpp>
using namespace sinter;
struct Net : Sequential<Input<3, 8>, Conv1d<4, 3, Dilation<10000000>, Causal>> {};
Network<Net> net;
