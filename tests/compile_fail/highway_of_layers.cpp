// SPDX-License-Identifier: MIT
// expected: sinter: a Highway takes its layers in two Paths
#include <sinter/sinter.hpp>
using namespace sinter;
struct Net : Sequential<Input<2>, Highway<Linear<2>, Linear<2>>> {};
Network<Net> net;
