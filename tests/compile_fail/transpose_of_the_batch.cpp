// expected: sinter: dimension 0 of a Transpose is the batch; 1 are the channels, -1 the last dimension
// SPDX-License-Identifier: MIT
#include <sinter/sinter.hpp>
using namespace sinter;
struct Net : Sequential<Input<3, 6>, Transpose<0, 1>> {};
Network<Net> net;
