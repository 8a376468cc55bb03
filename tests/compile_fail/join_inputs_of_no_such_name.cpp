// expected: sinter: the network has no input of that name or number
// SPDX-License-Identifier: MIT
#include <sinter/sinter.hpp>
using namespace sinter;

struct Flat : Inputs<Named<"picture", Input<3, 8, 8>>, Named<"numbers", Input<5>>> {};
struct Net
    : Sequential<Flat, Concat<Path<TakeInput<Flat, "picture">, Flatten, Linear<4>>, Path<TakeInput<Flat, "numbers">>>> {
};
void run(const Tensor<float, Shape<3, 8, 8>>& x, const Tensor<float, Shape<5>>& numbers) {
  join_inputs<Net>(x, named<"number">(numbers));
}
