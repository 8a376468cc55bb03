// expected: sinter: the callback of a Batcher or a Session takes an answer
// SPDX-License-Identifier: MIT
#include <sinter/serve.hpp>
#include <sinter/sinter.hpp>
using namespace sinter;

struct Net : Sequential<Input<2>, Linear<8>, ReLU, Linear<2>> {};

void serve(Batcher<Network<Net>>& batcher, const Tensor<float, Shape<2>>& x) {
  batcher.submit(x, [](float) {});
}
