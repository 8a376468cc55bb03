// expected: sinter: a Batcher takes rows of the network's numbers
// SPDX-License-Identifier: MIT
#include <sinter/serve.hpp>
#include <sinter/sinter.hpp>
using namespace sinter;

struct Net : Sequential<Input<2>, Linear<8>, ReLU, Linear<2>> {};

void serve(Batcher<Network<Net>>& batcher) { batcher.async({1, 2}); }
