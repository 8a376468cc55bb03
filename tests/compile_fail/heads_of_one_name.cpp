// SPDX-License-Identifier: MIT
// expected: sinter: two of these Heads have the same name
#include <sinter/sinter.hpp>
using namespace sinter;
struct Net : Sequential<Input<2>, Heads<Named<"place", Path<Linear<2>>>, Named<"place", Path<Linear<3>>>>> {};
Network<Net> net;
