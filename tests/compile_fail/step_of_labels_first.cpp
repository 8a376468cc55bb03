// SPDX-License-Identifier: MIT
// expected: sinter: inputs come as a Tensor, or as a TensorView on numbers of yours, which say the shape of a row
#include <sinter/sinter.hpp>
using namespace sinter;
struct Net : Sequential<Input<2>, Linear<2>> {};
void train(Network<Net>& net, const Tensor<float, Shape<2>>& x, const std::vector<int>& labels) {
  Trainer trainer{net, CrossEntropyLoss{}, SGD{}};
  trainer.step(labels, x);
}
