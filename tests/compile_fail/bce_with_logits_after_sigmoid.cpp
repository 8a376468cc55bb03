// expected: sinter: BCEWithLogitsLoss takes scores and applies the sigmoid itself: leave out the last Sigmoid
// SPDX-License-Identifier: MIT
#include <sinter/sinter.hpp>
using namespace sinter;

struct Net : Sequential<Input<2>, Linear<8>, ReLU, Linear<2>, Sigmoid> {};

void train(Network<Net>& net) { Trainer trainer{net, BCEWithLogitsLoss{}, SGD{.lr = 0.1}}; }
