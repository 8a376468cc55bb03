// expected: sinter: KLDivLoss takes log-probabilities: end the network with LogSoftmax
// SPDX-License-Identifier: MIT
#include <sinter/sinter.hpp>
using namespace sinter;

struct Net : Sequential<Input<2>, Linear<8>, ReLU, Linear<2>, Softmax> {};

void train(Network<Net>& net) { Trainer trainer{net, KLDivLoss{}, SGD{.lr = 0.1}}; }
