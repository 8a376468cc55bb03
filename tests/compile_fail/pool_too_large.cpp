// expected: a layer does not accept the shape it gets
// expected: layer_accepts<0,
// expected: MaxPool2d<4>
// expected: {3, 1, 3, 3}
// SPDX-License-Identifier: MIT
#include <sinter/sinter.hpp>
using namespace sinter;

struct Bad : Sequential<Input<1, 3, 3>, MaxPool2d<4>, Flatten, Linear<10>> {};
Network<Bad> net;
