// expected: sinter: fit was given something that is not a callback
// SPDX-License-Identifier: MIT
#include <sinter/sinter.hpp>
using namespace sinter;

struct Net : Sequential<Input<2>, Linear<2>> {};

struct Stopping {
  bool on_epochend(const EpochRecord&, const History&) { return false; }
};

void train(Network<Net>& net) { fit(net, disc(10, 1), CrossEntropyLoss{}, SGD{.lr = 0.1}, {.epochs = 2}, Stopping{}); }
