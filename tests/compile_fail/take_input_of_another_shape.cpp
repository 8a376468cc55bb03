// expected: sinter: a layer does not accept the shape it gets
// expected: the_row_of_these_Inputs_so_it_comes_first_in_a_branch
// SPDX-License-Identifier: MIT
#include <sinter/sinter.hpp>
using namespace sinter;

struct Flat : Inputs<Named<"picture", Input<3, 8, 8>>, Named<"numbers", Input<5>>> {};
struct Net : Sequential<Flat, Linear<9>, TakeInput<Flat, "picture">, Flatten, Linear<2>> {};
Network<Net> net;
