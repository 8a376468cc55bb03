// SPDX-License-Identifier: MIT
// expected: sinter: save is a function, of <sinter/io.hpp>: save(net, "net.safetensors")
#include <sinter/sinter.hpp>
using namespace sinter;
struct Net : Sequential<Input<2>, Linear<2>> {};
void keep(const Network<Net>& net) { net.save("net.safetensors"); }
