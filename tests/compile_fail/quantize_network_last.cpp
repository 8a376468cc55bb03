// expected: sinter: quantize takes a network, some hundred rows of its data, as a dataset or a Tensor
// SPDX-License-Identifier: MIT
#include <sinter/int8.hpp>
#include <sinter/layers/all.hpp>
using namespace sinter;
struct Net : Sequential<Input<4>, Linear<2>> {};
auto run(const Network<Net, Reference>& net, const Tensor<float, Shape<4>>& rows) { return quantize(rows, net); }
