// expected: sinter: fit of an ensemble takes no callbacks
// SPDX-License-Identifier: MIT
#include <sinter/sinter.hpp>
using namespace sinter;

struct Net : Sequential<Input<2>, Linear<2>> {};

void train(Ensemble<Net>& nets) {
  fit(nets, disc(10, 1), CrossEntropyLoss{}, SGD{.lr = 0.1}, {.epochs = 2}, Progress{});
}
