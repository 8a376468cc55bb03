// expected: sinter: fit cannot tell when to call this function: name what it takes, (const EpochRecord&, const History&)
// SPDX-License-Identifier: MIT
#include <sinter/sinter.hpp>
using namespace sinter;

struct Net : Sequential<Input<2>, Linear<2>> {};

void train(Network<Net>& net) {
  fit(net, disc(10, 1), CrossEntropyLoss{}, SGD{.lr = 0.1}, {.epochs = 2},
      [](const auto& epoch) { return epoch.train_loss > 0.1; });
}
