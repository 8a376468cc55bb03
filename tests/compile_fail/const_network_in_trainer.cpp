// expected: sinter: training changes a network, and this one is const
// SPDX-License-Identifier: MIT
#include <sinter/sinter.hpp>
using namespace sinter;

struct Net : Sequential<Input<2>, Linear<2>> {};

void train(const Network<Net>& net) { Trainer trainer{net, CrossEntropyLoss{}, SGD{.lr = 0.1}}; }
