// expected: sinter: ColumnParallel divides Linear and Embedding layers alone
// SPDX-License-Identifier: MIT
#include <sinter/sinter.hpp>

#include <sinter/ranks.hpp>
using namespace sinter;

struct Net : Sequential<Input<4>, Linear<8>, ReLU, Linear<2>> {};

void make(Communicator& world) { Network<Net, ColumnParallel<At<1>, 2>> net{{world}}; }
