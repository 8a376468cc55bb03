// SPDX-License-Identifier: MIT
// expected: sinter: a Product takes its layers in Paths
#include <sinter/sinter.hpp>
using namespace sinter;
struct Net : Sequential<Input<2>, Product<Linear<2>, Sigmoid>> {};
Network<Net> net;
