// SPDX-License-Identifier: MIT
// expected: sinter: the network comes before the path: load(net
#include <sinter/io.hpp>
#include <sinter/sinter.hpp>
using namespace sinter;
struct Net : Sequential<Input<2>, Linear<2>> {};
void take(Network<Net>& net) { load("net.safetensors", net); }
