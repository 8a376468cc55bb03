// expected: sinter: ColumnParallel<At<..>, parts> takes the numbers of the layers that it divides, in ascending order
// SPDX-License-Identifier: MIT
#include <sinter/sinter.hpp>

#include <sinter/ranks.hpp>
using namespace sinter;

struct Net : Sequential<Input<4>, Linear<8>, ReLU, Linear<2>> {};

void make(Communicator& world) { Network<Net, ColumnParallel<At<2, 0>, 2>> net{{world}}; }
