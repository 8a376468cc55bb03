// expected: sinter: the probability of Dropout is between 0 and 1
// SPDX-License-Identifier: MIT
#include <sinter/sinter.hpp>
using namespace sinter;

struct Bad : Sequential<Input<3>, Linear<4>, Dropout<50>> {};
Network<Bad> net;
