// expected: sinter: Conv1d takes Padding or Causal, not both
// SPDX-License-Identifier: MIT
#include <sinter/sinter.hpp>
using namespace sinter;

struct Bad : Sequential<Input<2, 28>, Conv1d<4, 3, Padding<1>, Causal>, Flatten, Linear<10>> {};
Network<Bad> net;
