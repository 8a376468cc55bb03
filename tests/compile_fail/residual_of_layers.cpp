// SPDX-License-Identifier: MIT
// expected: sinter: a Residual takes its layers in a Path: Residual<Path<Linear<8>, ReLU>
#include <sinter/sinter.hpp>
using namespace sinter;
struct Net : Sequential<Input<2>, Residual<Linear<2>, ReLU>> {};
Network<Net> net;
