// SPDX-License-Identifier: MIT
#include "support/macros_of_others.hpp"
// What is behind it must not mind.
#include "sinter/io.hpp"
#include "sinter/sinter.hpp"
#include "sinter/train/owning_trainer.hpp"

struct Line : sinter::Sequential<sinter::Input<2>, sinter::Linear<2>> {};

TEST_CASE("all headers mean what they say behind macros of others") {
  sinter::Network<Line> net;
  const auto history = sinter::fit(net, sinter::disc(20, 1), sinter::CrossEntropyLoss{}, sinter::SGD{.lr = 0.1});
  CHECK(history.epochs.size() == 1);
}
