// expected: sinter: an argument of Sequential, or of a Path in it, is not a layer
// SPDX-License-Identifier: MIT
#include <sinter/sinter.hpp>
using namespace sinter;

struct Net : Sequential<Input<2>, Linear<16>, Residual<Path<Linear<16>, ReLU()>>, Linear<2>> {};
Network<Net> net;
