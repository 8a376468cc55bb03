// expected: sinter: Softplus<beta, threshold> takes a finite beta above 0
// SPDX-License-Identifier: MIT
#include <sinter/sinter.hpp>
using namespace sinter;

struct Net : Sequential<Input<3>, Linear<4>, Softplus<1e-40>, Linear<2>> {};  // 1 / beta is infinite as a float
Network<Net> net;
