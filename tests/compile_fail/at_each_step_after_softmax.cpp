// SPDX-License-Identifier: MIT
// expected: sinter: CrossEntropyLoss takes scores and applies log-softmax itself
#include <sinter/sinter.hpp>
using namespace sinter;
struct Net : Sequential<Input<6, 2>, GRU<4>, SoftmaxAlong<2>> {};
void train(Network<Net>& net) { Trainer trainer{net, at_each_step<Net>(CrossEntropyLoss{}), SGD{}}; }
