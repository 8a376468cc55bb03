// expected: Permute takes each dimension once, the batch first
// SPDX-License-Identifier: MIT
#include <sinter/sinter.hpp>
using namespace sinter;

struct Bad : Sequential<Input<32, 32, 3>, Permute<2, 0, 1>, Conv2d<4, 3>, Flatten, Linear<2>> {};
Network<Bad> net;
