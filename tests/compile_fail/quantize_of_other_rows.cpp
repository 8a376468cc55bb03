// expected: sinter: the rows given do not have the shape of the network's Input: see has_rows_of<given, needed>
// SPDX-License-Identifier: MIT
#include <sinter/int8.hpp>
#include <sinter/layers/all.hpp>
using namespace sinter;
struct Net : Sequential<Input<4>, Linear<2>> {};
void run(const Network<Net, Reference>& net, const Tensor<float, Shape<9>>& rows, const std::vector<int>& labels) {
  quantize(net, dataset(rows, labels));
}
