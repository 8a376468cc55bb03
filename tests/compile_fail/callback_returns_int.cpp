// expected: sinter: a callback's on_batch_end and on_epoch_end return bool
// SPDX-License-Identifier: MIT
#include <sinter/sinter.hpp>
using namespace sinter;

struct Net : Sequential<Input<2>, Linear<2>> {};

struct Stopping {
  int on_epoch_end(const EpochRecord&, const History&) { return 0; }
};

void train(Network<Net>& net) { fit(net, disc(10, 1), CrossEntropyLoss{}, SGD{.lr = 0.1}, {.epochs = 2}, Stopping{}); }
