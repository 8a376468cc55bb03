// expected: sinter: a TakeInput takes one of the Inputs of its Sequential
// SPDX-License-Identifier: MIT
#include <sinter/sinter.hpp>
using namespace sinter;

struct Flat : Inputs<Named<"picture", Input<3, 8, 8>>, Named<"numbers", Input<5>>> {};
struct Other : Inputs<Named<"numbers", Input<5>>, Named<"picture", Input<3, 8, 8>>> {};
struct Net : Sequential<Flat, TakeInput<Other, "picture">, Flatten, Linear<2>> {};
Network<Net> net;
