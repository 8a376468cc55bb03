// expected: sinter: input_of() only views the rows
// SPDX-License-Identifier: MIT
#include <sinter/sinter.hpp>
using namespace sinter;

struct Flat : Inputs<Named<"picture", Input<3, 8, 8>>, Named<"numbers", Input<5>>> {};
struct Net
    : Sequential<Flat, Concat<Path<TakeInput<Flat, "picture">, Flatten, Linear<4>>, Path<TakeInput<Flat, "numbers">>>> {
};
void run() { input_of<Net, "numbers">(Tensor<float, Net::InputRow>(3)); }
