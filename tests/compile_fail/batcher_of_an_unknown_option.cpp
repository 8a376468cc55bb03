// expected: sinter: options are workers, max_batch
// SPDX-License-Identifier: MIT
#include <sinter/serve.hpp>
#include <sinter/sinter.hpp>
using namespace sinter;

struct Net : Sequential<Input<2>, Linear<8>, ReLU, Linear<2>> {};

void serve(const Network<Net>& net) { Batcher batcher(net, {.threads = 2}); }
