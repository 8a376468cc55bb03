// expected: sinter: a network is listed twice in this AnyOf; list each once
// SPDX-License-Identifier: MIT
#include <sinter/io.hpp>
#include <sinter/sinter.hpp>
using namespace sinter;

struct Small : Sequential<Input<2>, Linear<2>> {};
struct Large : Sequential<Input<2>, Linear<8>, ReLU, Linear<2>> {};

void take(AnyOf<Small, Large, Network<Small>>& net) { load(net, "net.safetensors"); }
