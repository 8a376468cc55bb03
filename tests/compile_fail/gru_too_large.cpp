// SPDX-License-Identifier: MIT
// expected: sinter: GRU needs 1 to 1,048,576 hidden units
#include <sinter/sinter.hpp>
using namespace sinter;
struct Net : Sequential<Input<3, 8>, GRU<2147483647>> {};
Network<Net> net;
