// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <cmath>
#include <initializer_list>
#include <sinter/train/early_stopping.hpp>

#include "support/error_of.hpp"

using namespace sinter::internal;

namespace {
constexpr double nothing = EpochRecord::not_counted;

/// The epoch after which it stops, 0 if never.
int stops_after(EarlyStopping& stopping, std::initializer_list<double> validation, double train = nothing) {
  History history;
  int epoch = 0;
  for (const double& loss : validation)
    if (!call_epoch_end({.epoch = ++epoch, .train_loss = train, .validation_loss = loss}, history, stopping))
      return epoch;
  return 0;
}
}  // namespace

TEST_CASE("stops after `patience` epochs without a better loss") {
  EarlyStopping stopping{.patience = 2};
  CHECK(stops_after(stopping, {3, 2, 2, 1, 1.5, 1.2, 0.5}) == 6);
  CHECK(stopping.best_epoch == 4);
  CHECK(stopping.reason() == "no better loss for 2 epochs, the best was 1 in epoch 4");
  stopping.on_begin({});
  CHECK(stops_after(stopping, {9, 8, 7}) == 0);
}

TEST_CASE("options that cannot be right are refused when training begins") {
  const auto refused = [](EarlyStopping stopping) { return error_of([&] { stopping.on_begin({}); }); };
  CHECK(refused({.patience = 0}) == "EarlyStopping was given patience = 0, expected 1 or more; correct that option");
  CHECK(refused({.least_gain = NAN}) ==
        "EarlyStopping was given least_gain = nan, expected a finite number of at least 0; correct that option");
  CHECK(refused({.least_gain = INFINITY}) ==
        "EarlyStopping was given least_gain = inf, expected a finite number of at least 0; correct that option");
  CHECK(refused({.least_gain = -1}) ==
        "EarlyStopping was given least_gain = -1, expected a finite number of at least 0; correct that option");
}

TEST_CASE("a gain that is too small does not count") {
  EarlyStopping stopping{.patience = 3, .least_gain = 0.1};
  CHECK(stops_after(stopping, {1, 0.95, 0.92, 0.91}) == 4);
}

TEST_CASE("the training loss where nothing is validated; NaN is no gain") {
  EarlyStopping stopping{.patience = 2};
  CHECK(stops_after(stopping, {nothing, nothing, nothing}, 1.) == 3);
  EarlyStopping never{.patience = 2};
  CHECK(stops_after(never, {nothing, nothing, nothing}) == 2);
  CHECK(never.reason() == "no better loss for 2 epochs, the best was never finite");
}

TEST_CASE("an infinite validation loss is no gain, and is not replaced by that of training") {
  EarlyStopping stopping{.patience = 3};
  stopping.on_begin({.validates = true});
  const auto goes_on = [&](int epoch, double train, double validation) {
    return stopping.on_epoch_end({.epoch = epoch, .train_loss = train, .validation_loss = validation}, {});
  };
  CHECK(goes_on(1, 0, INFINITY));
  CHECK(stopping.best_epoch == 0);
  CHECK(goes_on(2, 0, NAN));
  CHECK(stopping.best_epoch == 0);
  CHECK(goes_on(3, 0, 9));
  CHECK(stopping.best_epoch == 3);
  CHECK(goes_on(4, 0, 4));
  CHECK(stopping.best_epoch == 4);
  EarlyStopping huge{.least_gain = 1.7e308};
  huge.on_begin({});
  CHECK(huge.on_epoch_end({.epoch = 1, .train_loss = 1}, {}));
  CHECK(huge.best_epoch == 1);
}
