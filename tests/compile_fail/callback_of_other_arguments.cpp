// expected: sinter: a callback's on_epoch_end(const EpochRecord&, const History&) cannot be called on the object
// SPDX-License-Identifier: MIT
#include <sinter/sinter.hpp>
using namespace sinter;

struct Net : Sequential<Input<2>, Linear<2>> {};

struct Stopping {
  bool on_epoch_end(EpochRecord&, History&) { return false; }
};

void train(Network<Net>& net) { fit(net, disc(10, 1), CrossEntropyLoss{}, SGD{.lr = 0.1}, {.epochs = 2}, Stopping{}); }
