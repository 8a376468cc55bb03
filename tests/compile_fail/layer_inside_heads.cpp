// SPDX-License-Identifier: MIT
// expected: sinter: a layer inside another one does not accept the shape it gets
// expected: place::branch<1>,
// expected: place::layer<0>,
// expected: MaxPool2d<7>
// expected: Shape<3, 6, 6>
#include <sinter/sinter.hpp>
using namespace sinter;
struct Net : Sequential<Input<2, 8, 8>, Conv2d<3, 3>,
                        Heads<Path<Flatten, Linear<3>>, Path<Concat<Path<>, Path<ReLU, MaxPool2d<7>>>, Flatten>>> {};
Network<Net> net;
