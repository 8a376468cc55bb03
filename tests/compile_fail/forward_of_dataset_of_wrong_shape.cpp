// expected: sinter: forward was given rows that do not have the shape of the network's Input
// SPDX-License-Identifier: MIT
#include <sinter/sinter.hpp>
using namespace sinter;

struct Net : Sequential<Input<1, 28, 28>, Flatten, Linear<10>, LogSoftmax> {};

void run(const Network<Net>& net, Network<Net>::Workspace& workspace) { net.forward(disc(100, 1), workspace); }
