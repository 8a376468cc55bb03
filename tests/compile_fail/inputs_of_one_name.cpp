// expected: sinter: two of these Inputs have the same name
// SPDX-License-Identifier: MIT
#include <sinter/sinter.hpp>
using namespace sinter;

struct Flat : Inputs<Named<"x", Input<2>>, Named<"x", Input<3>>> {};
struct Net : Sequential<Flat, Linear<2>> {};
Network<Net> net;
