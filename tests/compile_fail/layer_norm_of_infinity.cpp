// expected: sinter: LayerNorm needs a finite epsilon above 0
// SPDX-License-Identifier: MIT
#include <sinter/sinter.hpp>
using namespace sinter;

struct Net : Sequential<Input<3>, Linear<4>, LayerNorm<Epsilon<std::numeric_limits<double>::infinity()>>, Linear<2>> {};
Network<Net> net;
