// expected: sinter: a callback's on_begin(const TrainingInfo&) cannot be called on the object given to fit
// SPDX-License-Identifier: MIT
#include <sinter/sinter.hpp>
using namespace sinter;

struct Net : Sequential<Input<2>, Linear<2>> {};

void train(Network<Net>& net) {
  const EarlyStopping stopping{.patience = 1};
  fit(net, disc(10, 1), CrossEntropyLoss{}, SGD{.lr = 0.1}, {.epochs = 2}, stopping);
}
