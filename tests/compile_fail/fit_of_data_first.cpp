// SPDX-License-Identifier: MIT
// expected: sinter: the network comes before the data: fit(net, train, CrossEntropyLoss{}, SGD{.lr = 0.1})
#include <sinter/sinter.hpp>
using namespace sinter;
struct Net : Sequential<Input<2>, Linear<2>> {};
void train(Network<Net>& net) { fit(disc(10, 1), net, CrossEntropyLoss{}, SGD{.lr = 0.1}, {.epochs = 3}); }
