// expected: sinter: a layer does not accept the shape it gets
// expected: dimensions_of_these_numbers
// SPDX-License-Identifier: MIT
#include <sinter/sinter.hpp>
using namespace sinter;
struct Net : Sequential<Input<3, 6>, Transpose<1, 3>> {};
Network<Net> net;
