// expected: sinter: Linear takes the option NoBias, at most once
// SPDX-License-Identifier: MIT
#include <sinter/sinter.hpp>
using namespace sinter;

struct Bad : Sequential<Input<3>, Linear<4, Stride<2>>, ReLU> {};
Network<Bad> net;
