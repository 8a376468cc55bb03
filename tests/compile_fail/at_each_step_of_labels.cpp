// SPDX-License-Identifier: MIT
// expected: sinter: this loss compares with rows of numbers; pass a tensor of targets, not labels
#include <sinter/sinter.hpp>
using namespace sinter;
#include <vector>
struct Net : Sequential<Input<6, 2>, GRU<4>> {};
void train(Network<Net>& net, const Tensor<float, Shape<6, 2>>& x, const std::vector<int>& labels) {
  fit(net, dataset(x, labels), at_each_step<Net>(CrossEntropyLoss{}), SGD{}, {.batch_size = 2});
}
