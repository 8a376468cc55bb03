// expected: sinter: inputs come as a Tensor, or as a TensorView on numbers of yours
// SPDX-License-Identifier: MIT
#include <sinter/sinter.hpp>
using namespace sinter;

struct Net : Sequential<Input<2>, Linear<2>> {};

float step(Network<Net>& net, const std::vector<float>& x, const std::vector<int>& labels) {
  Trainer trainer{net, CrossEntropyLoss{}, SGD{.lr = 0.1}};
  return trainer.step(x, labels);
}
