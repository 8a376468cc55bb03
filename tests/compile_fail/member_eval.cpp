// SPDX-License-Identifier: MIT
// expected: sinter: a network has no mode: forward and predict never train
#include <sinter/sinter.hpp>
using namespace sinter;
struct Net : Sequential<Input<2>, Linear<2>> {};
void ask(Network<Net>& net) { net.eval(); }
