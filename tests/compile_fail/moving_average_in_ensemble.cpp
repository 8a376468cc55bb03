// expected: sinter: members of an ensemble are trained without moving_average()
// SPDX-License-Identifier: MIT
#include <sinter/sinter.hpp>
using namespace sinter;

struct Net : Sequential<Input<2>, Linear<8>, ReLU, Linear<2>> {};

void train(Ensemble<Net>& nets, Network<Net>& averaged) {
  fit(nets, disc(100, 1), CrossEntropyLoss{}, moving_average(SGD{.lr = 0.1}, averaged));
}
