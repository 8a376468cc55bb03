// expected: sinter: ColumnParallel<At<..>, parts> takes at least one part, and at most as many as each of the divided layers has outputs, or numbers in a row of its table
// SPDX-License-Identifier: MIT
#include <sinter/sinter.hpp>

#include <sinter/ranks.hpp>
using namespace sinter;

struct Net : Sequential<Input<4>, Linear<8>, ReLU, Linear<2>> {};

void make(Communicator& world) { Network<Net, ColumnParallel<At<0, 2>, 3>> net{{world}}; }
