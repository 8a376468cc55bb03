// expected: sinter: Inputs are each an Input
// SPDX-License-Identifier: MIT
#include <sinter/sinter.hpp>
using namespace sinter;

struct Flat : Inputs<Linear<3>, Input<5>> {};
struct Net : Sequential<Flat, Linear<2>> {};
Network<Net> net;
