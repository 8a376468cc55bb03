// expected: sinter: Inputs are 2 or more
// SPDX-License-Identifier: MIT
#include <sinter/sinter.hpp>
using namespace sinter;

struct Flat : Inputs<Named<"picture", Input<3, 8, 8>>> {};
struct Net : Sequential<Flat, Linear<2>> {};
Network<Net> net;
