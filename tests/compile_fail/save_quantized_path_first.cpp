// expected: sinter: the network comes before the path: save(net, "net.safetensors")
// SPDX-License-Identifier: MIT
#include <sinter/int8.hpp>
#include <sinter/layers/all.hpp>
using namespace sinter;
struct Net : Sequential<Input<2>, Linear<2>> {};
void run(const QuantizedNetwork<Net>& quantized) { save("net.int8.safetensors", quantized); }
