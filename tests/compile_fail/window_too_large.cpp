// expected: a layer does not accept the shape it gets
// expected: layer_accepts<2,
// expected: Conv2d<8, 5>
// expected: {3, 4, 4, 4}
// expected: an_image_at_least_as_large_as_the_window
// SPDX-License-Identifier: MIT
#include <sinter/sinter.hpp>
using namespace sinter;

struct Bad : Sequential<Input<1, 8, 8>, Conv2d<4, 5>, ReLU, Conv2d<8, 5>, Flatten, Linear<10>, LogSoftmax> {};
Network<Bad> net;
