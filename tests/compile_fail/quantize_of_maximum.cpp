// expected: sinter: a layer of this model has no int8 arithmetic: see layer_has_int8<number, layer, why>
// expected: a_function_of_two_values
// SPDX-License-Identifier: MIT
#include <sinter/int8.hpp>
#include <sinter/layers/all.hpp>
using namespace sinter;
struct Net : Sequential<Input<3>, Maximum<Path<Linear<4>>, Path<Linear<4>>>, Linear<2>> {};
void run(const Network<Net, Reference>& net, const Tensor<float, Shape<3>>& rows) {
  const auto quantized = quantize(net, rows);
  auto workspace = quantized.workspace(1);
  quantized.forward(rows, workspace);
}
