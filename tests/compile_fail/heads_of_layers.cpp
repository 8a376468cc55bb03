// SPDX-License-Identifier: MIT
// expected: sinter: Heads take their layers in Paths
#include <sinter/sinter.hpp>
using namespace sinter;
struct Net : Sequential<Input<2>, Heads<Linear<2>, Linear<3>>> {};
Network<Net> net;
