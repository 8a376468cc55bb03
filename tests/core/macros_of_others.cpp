// SPDX-License-Identifier: MIT
// labels: optimised
#include "support/macros_of_others.hpp"
// The headers after it must still compile.
#include "sinter/io.hpp"
#include "sinter/sinter.hpp"
#include "sinter/train/owning_trainer.hpp"

struct Line : sinter::Sequential<sinter::Input<2>, sinter::Linear<2>> {};

TEST_CASE("all headers keep their meaning after macros of others") {
  sinter::Network<Line> net;
  const auto history = sinter::fit(net, sinter::disc(20, 1), sinter::CrossEntropyLoss{}, sinter::SGD{.lr = 0.1});
  CHECK(history.epochs.size() == 1);
}
