// expected: sinter: forward takes rows in the shape of the network's Input, a workspace, which is a variable
// SPDX-License-Identifier: MIT
#include <sinter/int8.hpp>
#include <sinter/layers/all.hpp>
using namespace sinter;
struct Net : Sequential<Input<4>, Linear<2>> {};
auto run(const QuantizedNetwork<Net>& net, const Tensor<float, Shape<4>>& rows) { return net.forward(rows); }
