// expected: sinter: NLLLoss takes log-probabilities: end the network with LogSoftmax
// SPDX-License-Identifier: MIT
#include <sinter/sinter.hpp>
using namespace sinter;

struct Net : Sequential<Input<2>, Linear<2>, GELU, Flatten> {};

void train(Network<Net>& net) { Trainer trainer{net, NLLLoss{}, SGD{.lr = 0.1}}; }
