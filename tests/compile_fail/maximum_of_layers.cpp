// SPDX-License-Identifier: MIT
// expected: sinter: a Maximum takes its layers in Paths: Maximum<Path<Linear<8>>, Path<Linear<8>>>
#include <sinter/sinter.hpp>
using namespace sinter;
struct Net : Sequential<Input<2>, Maximum<Linear<2>, Linear<2>>> {};
Network<Net> net;
