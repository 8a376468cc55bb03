// expected: sinter: options are workers, max_sessions
// SPDX-License-Identifier: MIT
#include <sinter/serve.hpp>
#include <sinter/sinter.hpp>
using namespace sinter;

struct Net : Sequential<Input<20, 3>, GRU<4, FinalState>> {};

void serve(const Network<Net>& net) { Sessions sessions(net, {.max_batch = 2}); }
