// expected: sinter: Conv1d needs its kernel once, as a number: Conv1d<16, 3>
// SPDX-License-Identifier: MIT
#include <sinter/sinter.hpp>
using namespace sinter;

struct Net : Sequential<Input<4, 20>, Conv1d<8, Kernel<3>>, ReLU, Flatten, Linear<2>> {};
Network<Net> net;
