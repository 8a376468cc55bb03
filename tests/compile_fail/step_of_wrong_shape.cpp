// expected: sinter: the rows given do not have the shape of the network's Input
// SPDX-License-Identifier: MIT
#include <sinter/sinter.hpp>
using namespace sinter;

struct Net : Sequential<Input<2>, Linear<8>, ReLU, Linear<2>, LogSoftmax> {};

void train(Network<Net>& net, const Tensor<float, Shape<3>>& x, const std::vector<int>& labels) {
  Trainer trainer{net, NLLLoss{}, SGD{.lr = 0.1}};
  trainer.step(x, labels);
}
