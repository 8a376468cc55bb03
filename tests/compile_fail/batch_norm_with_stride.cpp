// SPDX-License-Identifier: MIT
// expected: sinter: BatchNorm2d takes Epsilon, Momentum and NoAffine, each at most once
#include <sinter/sinter.hpp>
using namespace sinter;
struct Net : Sequential<Input<2, 8, 8>, BatchNorm2d<Stride<2>>> {};
Network<Net> net;
