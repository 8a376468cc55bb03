// expected: sinter: a layer of this model has no int8 arithmetic: see layer_has_int8<number, layer, why>
// expected: sums_of_more_than_33155_products_may_overflow_32_bits
// SPDX-License-Identifier: MIT
#include <sinter/int8.hpp>
#include <sinter/layers/all.hpp>
using namespace sinter;
struct Net : Sequential<Input<33156>, Linear<2>> {};
void run(const Network<Net, Reference>& net, const Tensor<float, Shape<33156>>& rows) { quantize(net, rows); }
