// SPDX-License-Identifier: MIT
// expected: sinter: a Trainer takes a network that has a name, then a loss and an optimizer: Trainer{net, MSELoss{}, SGD{.lr = 0.1}}
#include <sinter/sinter.hpp>
using namespace sinter;
struct Net : Sequential<Input<2>, Linear<2>> {};
void train() { Trainer trainer{Network<Net>{}, CrossEntropyLoss{}, SGD{.lr = 0.1}}; }
