// expected: sinter: a Shared layer has places in two stages of a Pipeline: cut before its first or after its last place
// SPDX-License-Identifier: MIT
#include <sinter/sinter.hpp>

#include <sinter/ranks.hpp>
using namespace sinter;

struct Middle : Shared<Linear<4>> {};
struct Net : Sequential<Input<4>, Middle, ReLU, Middle, Linear<2>> {};

void make(Communicator& world) { Network<Net, Pipeline<At<2>>> net{{world}}; }
