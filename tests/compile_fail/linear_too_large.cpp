// SPDX-License-Identifier: MIT
// expected: sinter: a network has at most 2,147,483,647 numbers, and with this layer there are more
// expected: parameters_fit<0
// expected: 2500000000
#include <sinter/sinter.hpp>
using namespace sinter;
struct Net : Sequential<Input<50000>, Linear<50000>> {};
Network<Net> net;
