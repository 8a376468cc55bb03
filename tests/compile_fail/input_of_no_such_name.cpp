// expected: sinter: the network has no input of that name or number
// expected: "picture"
// SPDX-License-Identifier: MIT
#include <sinter/sinter.hpp>
using namespace sinter;

struct Flat : Inputs<Named<"picture", Input<3, 8, 8>>, Named<"numbers", Input<5>>> {};
struct Net
    : Sequential<Flat, Concat<Path<TakeInput<Flat, "picture">, Flatten, Linear<4>>, Path<TakeInput<Flat, "numbers">>>> {
};
void run(const Tensor<float, Net::InputRow>& x) { input_of<Net, "number">(x); }
