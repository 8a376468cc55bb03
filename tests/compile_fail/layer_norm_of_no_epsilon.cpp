// expected: sinter: LayerNorm needs a finite epsilon above 0
// SPDX-License-Identifier: MIT
#include <sinter/sinter.hpp>
using namespace sinter;

struct Net : Sequential<Input<3>, Linear<4>, LayerNorm<Epsilon<1e-60>>, Linear<2>> {};  // 0 as a float
Network<Net> net;
