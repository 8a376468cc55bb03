// expected: sinter: a Shared layer has places before and after a layer that ColumnParallel divides
// SPDX-License-Identifier: MIT
#include <sinter/sinter.hpp>

#include <sinter/ranks.hpp>
using namespace sinter;

struct Middle : Shared<Linear<4>> {};
struct Net : Sequential<Input<4>, Middle, Linear<4>, Middle, Linear<2>> {};

void make(Communicator& world) { Network<Net, ColumnParallel<At<1>, 2>> net{{world}}; }
