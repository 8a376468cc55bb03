// SPDX-License-Identifier: MIT
// expected: sinter: LayerNorm takes Epsilon, NoAffine, NoBias and NormalizedShape, each at most once
#include <sinter/sinter.hpp>
using namespace sinter;
struct Net : Sequential<Input<6>, LayerNorm<Momentum<0.1>>> {};
Network<Net> net;
