// SPDX-License-Identifier: MIT
// expected: sinter: the gradient of a network with batch normalisation is that of a batch: use Trainer::accumulate, or GroupNorm or LayerNorm in its place
#include <sinter/function.hpp>
#include <sinter/sinter.hpp>
using namespace sinter;
struct Net : Sequential<Input<3>, Linear<4>, BatchNorm1d<>, ReLU, Linear<1>> {};
float slope(const Network<Net>& net) { return net.function().gradient({1, 2, 3})[0]; }
