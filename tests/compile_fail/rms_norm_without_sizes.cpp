// expected: sinter: RMSNorm needs the sizes of the last dimensions: RMSNorm<NormalizedShape<64>>
// SPDX-License-Identifier: MIT
#include <sinter/sinter.hpp>
using namespace sinter;
struct Net : Sequential<Input<6>, RMSNorm<>> {};
Network<Net> net;
