// SPDX-License-Identifier: MIT
// expected: sinter: a network has at most 2,147,483,647 numbers, and with this layer there are more
#include <sinter/sinter.hpp>
using namespace sinter;
struct Net : Sequential<Input<100000, 8>, MultiheadAttention<8, 2>> {};
Network<Net> net;
