// expected: sinter: Pipeline<At<..>> takes the numbers of layers in ascending order, each the first of a stage: from 1 to the number of the last layer
// SPDX-License-Identifier: MIT
#include <sinter/sinter.hpp>

#include <sinter/ranks.hpp>
using namespace sinter;

struct Net : Sequential<Input<4>, Linear<8>, ReLU, Linear<2>> {};

void make(Communicator& world) { Network<Net, Pipeline<At<2, 1>>> net{{world}}; }
