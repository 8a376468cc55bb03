// expected: sinter: export_onnx(net, path)
// SPDX-License-Identifier: MIT
#include <sinter/io.hpp>
#include <sinter/sinter.hpp>
using namespace sinter;

struct Net : Sequential<Input<2>, Linear<8>, ReLU, Linear<2>> {};

void write(const Network<Net>& net) { export_onnx("net.onnx", net); }
