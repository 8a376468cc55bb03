// expected: sinter: a layer does not accept the shape it gets
// expected: last_dimensions_of_the_normalized_shape
// SPDX-License-Identifier: MIT
#include <sinter/sinter.hpp>
using namespace sinter;
struct Net : Sequential<Input<3, 6>, RMSNorm<NormalizedShape<3>>> {};
Network<Net> net;
