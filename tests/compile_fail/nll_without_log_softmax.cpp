// expected: sinter: NLLLoss takes log-probabilities: end the network with LogSoftmax, or use CrossEntropyLoss
// SPDX-License-Identifier: MIT
#include <sinter/sinter.hpp>
using namespace sinter;

struct Net : Sequential<Input<2>, Linear<8>, ReLU, Linear<2>> {};

void train(Network<Net>& net) { fit(net, disc(100, 1), NLLLoss{}, SGD{.lr = 0.1}); }
