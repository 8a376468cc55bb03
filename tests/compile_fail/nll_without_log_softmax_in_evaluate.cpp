// expected: sinter: NLLLoss takes log-probabilities: end the network with LogSoftmax, or use CrossEntropyLoss
// SPDX-License-Identifier: MIT
#include <sinter/sinter.hpp>
using namespace sinter;

struct Net : Sequential<Input<2>, Linear<8>, ReLU, Linear<2>> {};

double loss(const Network<Net>& net) { return evaluate(net, disc(100, 1), NLLLoss{}).loss; }
