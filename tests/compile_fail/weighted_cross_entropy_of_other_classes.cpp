// expected: sinter: this loss has weights for another number of classes than the network has outputs
// SPDX-License-Identifier: MIT
#include <sinter/sinter.hpp>
using namespace sinter;

struct Net : Sequential<Input<2>, Linear<8>, ReLU, Linear<2>> {};

void train(Network<Net>& net) { fit(net, disc(100, 1), WeightedCrossEntropyLoss<3>{}, SGD{.lr = 0.1}); }
