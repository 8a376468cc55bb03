// SPDX-License-Identifier: MIT
// expected: sinter: NormalizedShape has 1 to 3 sizes above 0, of at most 2,147,483,647 numbers
#include <sinter/sinter.hpp>
using namespace sinter;
struct Net : Sequential<Input<3, 8>, LayerNorm<NormalizedShape<65536, 65536>>> {};
Network<Net> net;
