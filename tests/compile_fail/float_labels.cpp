// expected: sinter: the targets of a dataset are class numbers (a vector or span of an integer type) or rows of float or double
// SPDX-License-Identifier: MIT
#include <sinter/sinter.hpp>
using namespace sinter;

struct Net : Sequential<Input<2>, Linear<2>> {};

void train(Network<Net>& net, const Tensor<float, Shape<2>>& x, const std::vector<float>& labels) {
  fit(net, dataset(x, labels), CrossEntropyLoss{}, SGD{.lr = 0.1});
}
