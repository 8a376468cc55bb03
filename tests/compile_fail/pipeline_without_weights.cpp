// expected: sinter: a Pipeline divides a model that has weights
// SPDX-License-Identifier: MIT
#include <sinter/sinter.hpp>

#include <sinter/ranks.hpp>
using namespace sinter;

struct Net : Sequential<Input<4>, ReLU, Tanh> {};

void make(Communicator& world) { Network<Net, Pipeline<At<1>>> net{{world}}; }
