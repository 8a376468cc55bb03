// expected: sinter: these Inputs have no input of that name or number
// expected: pictures
// expected: "numbers"
// SPDX-License-Identifier: MIT
#include <sinter/sinter.hpp>
using namespace sinter;

struct Flat : Inputs<Named<"picture", Input<3, 8, 8>>, Named<"numbers", Input<5>>> {};
struct Net : Sequential<Flat, TakeInput<Flat, "pictures">, Flatten, Linear<2>> {};
Network<Net> net;
