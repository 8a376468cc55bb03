// SPDX-License-Identifier: MIT
// expected: sinter: a row of a shape has at most 2,147,483,647 numbers
#include <sinter/sinter.hpp>
using namespace sinter;
struct Net : Sequential<Input<3, 40000, 40000>, Conv2d<1, 3>> {};
Network<Net> net;
