// expected: sinter: the rows given do not have the shape
// SPDX-License-Identifier: MIT
#include <sinter/sinter.hpp>
using namespace sinter;

struct Net : Sequential<Input<2>, Linear<2>> {};

void train(Network<Net>& net, const Tensor<float, Shape<3>>& x, const std::vector<int>& labels) {
  const auto other = dataset(x, labels);
  fit(net, disc(10, 1), CrossEntropyLoss{}, SGD{.lr = 0.1}, {.validation = &other});
}
