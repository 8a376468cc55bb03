// SPDX-License-Identifier: MIT
// expected: sinter: a network has at most 2,147,483,647 numbers, and with this layer there are more
// expected: parameters_fit<2
#include <sinter/sinter.hpp>
using namespace sinter;
struct Net : Sequential<Input<40000>, Linear<40000>, ReLU, Residual<Path<Linear<30000>, Linear<40000>>>> {};
Network<Net> net;
