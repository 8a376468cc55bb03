// expected: a layer does not accept the shape it gets
// expected: layer_accepts<1,
// expected: Linear<10>
// expected: {3, 8, 24, 24}
// expected: put_Flatten_before_it
// SPDX-License-Identifier: MIT
#include <sinter/sinter.hpp>
using namespace sinter;

struct Bad : Sequential<Input<1, 28, 28>, Conv2d<8, 5>, Linear<10>, LogSoftmax> {};
Network<Bad> net;
