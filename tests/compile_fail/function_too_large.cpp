// SPDX-License-Identifier: MIT
// expected: sinter: a call of this network's function takes more memory than a thread may have, see fits_a_thread<bytes, most>: use forward and a workspace
#include <sinter/function.hpp>
#include <sinter/sinter.hpp>
using namespace sinter;
struct Net : Sequential<Input<1, 128, 128>, Conv2d<4, 3>, ReLU, Flatten, Linear<2>> {};
float first(const Network<Net>& net, const float* x) { return net.function()(x)[0]; }
