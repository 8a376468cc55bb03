// SPDX-License-Identifier: MIT
// expected: sinter: Reshape takes 1 to 3 sizes
#include <sinter/sinter.hpp>
using namespace sinter;
struct Net : Sequential<Input<3, 8, 8>, Reshape<65536, 65536>> {};
Network<Net> net;
