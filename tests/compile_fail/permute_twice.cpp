// expected: sinter: Permute takes each dimension once, the batch first: Permute<0, 2, 1>
// SPDX-License-Identifier: MIT
#include <sinter/sinter.hpp>
using namespace sinter;
struct Net : Sequential<Input<3, 6>, Permute<0, 1, 1>> {};
Network<Net> net;
