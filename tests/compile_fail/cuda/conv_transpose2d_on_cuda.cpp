// expected: sinter: the Cuda device does not run ConvTranspose2d and Embedding yet: use Host, or leave the layer out
// SPDX-License-Identifier: MIT
#include <sinter/sinter.cuh>
using namespace sinter;

struct Net : Sequential<Input<2, 8, 8>, ConvTranspose2d<3, 2, Stride<2>>> {};
Network<Net, Cuda> net;
