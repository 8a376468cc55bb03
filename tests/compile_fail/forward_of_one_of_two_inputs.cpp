// expected: sinter: forward was given rows that do not have the shape of the network's Input
// SPDX-License-Identifier: MIT
#include <sinter/sinter.hpp>
using namespace sinter;

struct Flat : Inputs<Named<"picture", Input<3, 8, 8>>, Named<"numbers", Input<5>>> {};
struct Net
    : Sequential<Flat, Concat<Path<TakeInput<Flat, "picture">, Flatten, Linear<4>>, Path<TakeInput<Flat, "numbers">>>> {
};
void run(const Network<Net>& net, const Tensor<float, Shape<3, 8, 8>>& x, Network<Net>::Workspace& workspace) {
  net.forward(x, workspace);
}
