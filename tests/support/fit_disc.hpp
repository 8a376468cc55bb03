// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/data/disc.hpp"
#include "sinter/layers/linear.hpp"
#include "sinter/loss/cross_entropy.hpp"
#include "sinter/optimizer/sgd.hpp"
#include "sinter/train/fit.hpp"

namespace sinter_test {

struct LinearOfDisc : sinter::Sequential<sinter::Input<2>, sinter::Linear<2>> {};

/// A short training, with validation, for tests of callbacks.
template <class... Callbacks>
sinter::History fit_disc(int epochs, Callbacks&&... callbacks) {
  using namespace sinter;
  const auto train = disc(40, 1), test = disc(10, 2);
  Network<LinearOfDisc> net{NetworkOptions{.seed = 1}};
  return fit(net, train, CrossEntropyLoss{}, SGD{.lr = 0.1}, {.batch_size = 8, .epochs = epochs, .validation = &test},
             callbacks...);
}

}  // namespace sinter_test
