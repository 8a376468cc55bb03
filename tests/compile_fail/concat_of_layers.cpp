// SPDX-License-Identifier: MIT
// expected: sinter: a Concat takes its layers in Paths
#include <sinter/sinter.hpp>
using namespace sinter;
struct Net : Sequential<Input<2>, Concat<Linear<2>, Linear<3>>> {};
Network<Net> net;
