// SPDX-License-Identifier: MIT
// expected: sinter: this loss is made for a network with other outputs: at_each_step<Net>(..) takes the Net that it compares
#include <sinter/sinter.hpp>
using namespace sinter;
struct Net : Sequential<Input<6, 2>, GRU<4>> {};
struct Other : Sequential<Input<4, 2>, GRU<6>> {};
void train(Network<Net>& net) { Trainer trainer{net, at_each_step<Other>(CrossEntropyLoss{}), SGD{}}; }
