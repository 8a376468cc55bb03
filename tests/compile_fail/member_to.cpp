// SPDX-License-Identifier: MIT
// expected: sinter: a copy goes to another device: Network<Model, Cuda> there = net
#include <sinter/sinter.hpp>
using namespace sinter;
struct Net : Sequential<Input<2>, Linear<2>> {};
void move(Network<Net>& net) { net.to("cuda"); }
