// expected: sinter: Reshape takes 1 to 3 sizes
// SPDX-License-Identifier: MIT
#include <sinter/sinter.hpp>
using namespace sinter;

struct Net : Sequential<Input<24>, Reshape<1, 2, 3, 4>, Flatten, Linear<10>> {};
Network<Net> net;
