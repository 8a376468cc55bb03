// expected: sinter: ColumnParallel divides layers on the host: ColumnParallel<At<1>, 4>
// SPDX-License-Identifier: MIT
#include <sinter/sinter.hpp>

#include <sinter/ranks.hpp>
using namespace sinter;

struct Net : Sequential<Input<4>, Linear<8>, ReLU, Linear<2>> {};

void make() { Network<Net, ColumnParallel<At<0>, 2, Reference>> net; }
