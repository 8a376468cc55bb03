// SPDX-License-Identifier: MIT
// expected: sinter: a value of a network has at most 2,147,483,647 numbers, and with this layer there are more
// expected: sizes_fit
// expected: layer<0>
// expected: path
#include <sinter/sinter.hpp>
using namespace sinter;
struct Net : Sequential<Input<3, 8, 8>, Residual<Path<Upsample<2147483647, Bilinear>, ReLU>>> {};
Network<Net> net;
