// expected: sinter: rows are given for each input of the network
// SPDX-License-Identifier: MIT
#include <sinter/sinter.hpp>
using namespace sinter;

struct Flat : Inputs<Named<"picture", Input<3, 8, 8>>, Named<"numbers", Input<5>>> {};
struct Net
    : Sequential<Flat, Concat<Path<TakeInput<Flat, "picture">, Flatten, Linear<4>>, Path<TakeInput<Flat, "numbers">>>> {
};
void run(const Tensor<float, Shape<3, 8, 8>>& x) { join_inputs<Net>(x); }
