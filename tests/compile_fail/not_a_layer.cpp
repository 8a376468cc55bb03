// expected: sinter: an argument of Sequential, or of a Path in it, is not a layer
// expected: is_a_layer<1,
// SPDX-License-Identifier: MIT
#include <sinter/sinter.hpp>
using namespace sinter;

struct Bad : Sequential<Input<3>, Linear<4>, fn::Relu, Linear<2>> {};
Network<Bad> net;
