// expected: a layer does not accept the shape it gets
// expected: layer_accepts<0,
// expected: LogSoftmax
// expected: {3, 3, 8, 8}
// expected: put_Flatten_before_it
// SPDX-License-Identifier: MIT
#include <sinter/sinter.hpp>
using namespace sinter;

struct Bad : Sequential<Input<3, 8, 8>, LogSoftmax> {};
Network<Bad> net;
