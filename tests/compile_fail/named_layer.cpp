// expected: sinter: Inputs are each an Input, or one with a name
// SPDX-License-Identifier: MIT
#include <sinter/sinter.hpp>
using namespace sinter;

struct Flat : Inputs<Named<"x", Linear<2>>, Input<3>> {};
struct Net : Sequential<Flat, Linear<2>> {};
Network<Net> net;
