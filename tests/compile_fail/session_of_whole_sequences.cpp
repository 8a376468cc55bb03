// expected: and a Session moments of it
// SPDX-License-Identifier: MIT
#include <sinter/serve.hpp>
#include <sinter/sinter.hpp>
using namespace sinter;

struct Net : Sequential<Input<20, 3>, GRU<4, FinalState>> {};

void serve(Session<Net>& session) { session.async(Tensor<float, Shape<20, 3>>(1)); }
