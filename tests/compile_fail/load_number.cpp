// SPDX-License-Identifier: MIT
// expected: sinter: load takes the path of a file or its bytes: load(net, "net.safetensors")
#include <sinter/io.hpp>
#include <sinter/sinter.hpp>
using namespace sinter;
struct Net : Sequential<Input<2>, Linear<2>> {};
void take(Network<Net>& net) { load(net, 3); }
