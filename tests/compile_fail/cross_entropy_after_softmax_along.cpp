// expected: sinter: CrossEntropyLoss takes scores and applies log-softmax itself
// SPDX-License-Identifier: MIT
#include <sinter/sinter.hpp>
using namespace sinter;

struct Net : Sequential<Input<12, 3>, GRU<8, FinalState>, Linear<4>, SoftmaxAlong<1>> {};

void train(Network<Net>& net, const Tensor<float, Shape<12, 3>>& x, const std::vector<int>& labels) {
  fit(net, dataset(x, labels), CrossEntropyLoss{}, Adam{});
}
