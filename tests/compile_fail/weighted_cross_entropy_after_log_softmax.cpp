// expected: sinter: CrossEntropyLoss takes scores and applies log-softmax itself
// SPDX-License-Identifier: MIT
#include <sinter/sinter.hpp>
using namespace sinter;

struct Net : Sequential<Input<2>, Linear<8>, ReLU, Linear<2>, LogSoftmax> {};

void train(Network<Net>& net) { fit(net, disc(100, 1), WeightedCrossEntropyLoss<2>{}, SGD{.lr = 0.1}); }
