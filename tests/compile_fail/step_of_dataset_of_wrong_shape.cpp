// expected: sinter: the rows given do not have the shape of the network's Input
// SPDX-License-Identifier: MIT
#include <sinter/sinter.hpp>
using namespace sinter;

struct Net : Sequential<Input<1, 28, 28>, Flatten, Linear<10>, LogSoftmax> {};

void train(Network<Net>& net) {
  Trainer trainer{net, NLLLoss{}, SGD{.lr = 0.1}};
  trainer.step(disc(100, 1));
}
