// SPDX-License-Identifier: MIT
// expected: sinter: a layer inside another one does not accept the shape it gets
// expected: place::layer<1>
// expected: place::path,
// expected: Linear<4>
// expected: put_Flatten_before_it
#include <sinter/sinter.hpp>
using namespace sinter;
struct Block : Path<Conv2d<2, 3>, Linear<4>> {};
struct Net : Sequential<Input<2, 8, 8>, ReLU, Block> {};
Network<Net> net;
