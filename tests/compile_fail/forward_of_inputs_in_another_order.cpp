// expected: sinter: the rows given for an input do not have its shape
// SPDX-License-Identifier: MIT
#include <sinter/sinter.hpp>
using namespace sinter;

struct Flat : Inputs<Named<"picture", Input<3, 8, 8>>, Named<"numbers", Input<5>>> {};
struct Net
    : Sequential<Flat, Concat<Path<TakeInput<Flat, "picture">, Flatten, Linear<4>>, Path<TakeInput<Flat, "numbers">>>> {
};
void run(const Network<Net>& net, const Tensor<float, Shape<3, 8, 8>>& x, const Tensor<float, Shape<5>>& numbers,
         Network<Net>::Workspace& workspace) {
  net.forward(numbers, x, workspace);
}
