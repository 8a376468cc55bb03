// SPDX-License-Identifier: MIT
// expected: sinter: a Batcher takes rows of the network's numbers in the shape of its Input
#include <sinter/sinter.hpp>
// Not before it.
#include <sinter/serve.hpp>

using namespace sinter;

struct Net : Sequential<Input<2>, Linear<3>> {};

int main() {
  Batcher<Network<Net>> batcher{Network<Net>()};
  batcher.async(Tensor<float, Shape<3>>(1));
}
