// expected: sinter: the Factor of a MatrixProduct is a finite number other than 0
// SPDX-License-Identifier: MIT
#include <sinter/sinter.hpp>
using namespace sinter;

struct Net
    : Sequential<Input<4, 3>, MatrixProduct<Path<>, Path<>, TransposeSecond, Factor<1e300>>, Flatten, Linear<2>> {};
Network<Net> net;
