// expected: sinter: Heads are 2 or more
// SPDX-License-Identifier: MIT
#include <sinter/sinter.hpp>
using namespace sinter;

struct Net : Sequential<Input<2>, Linear<16>, ReLU, Heads<Path<Linear<2>>>> {};
Network<Net> net;
