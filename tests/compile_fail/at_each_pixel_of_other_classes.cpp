// SPDX-License-Identifier: MIT
// expected: sinter: this loss has weights for another number of classes than the network has outputs
#include <sinter/sinter.hpp>
using namespace sinter;
struct Net : Sequential<Input<1, 6, 6>, Conv2d<3, 1>> {};
void train(Network<Net>& net) { Trainer trainer{net, at_each_pixel<Net>(WeightedCrossEntropyLoss<4>{}), SGD{}}; }
