// expected: sinter: the inputs of a dataset come as a Tensor, or as a TensorView
// SPDX-License-Identifier: MIT
#include <sinter/sinter.hpp>
using namespace sinter;

struct Net : Sequential<Input<2>, Linear<2>> {};

void train(Network<Net>& net, const std::vector<float>& x, const std::vector<int>& labels) {
  fit(net, dataset(x, labels), CrossEntropyLoss{}, SGD{.lr = 0.1});
}
