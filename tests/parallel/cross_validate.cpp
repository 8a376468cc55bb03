// SPDX-License-Identifier: MIT
// labels: large
#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include "sinter/sinter.hpp"
#include "support/error_of.hpp"
#include "support/training.hpp"

using namespace sinter::internal;
using namespace sinter_test;

namespace {

struct Mlp : Sequential<Input<2>, Linear<8>, ReLU, Linear<2>> {};

}  // namespace

TEST_CASE("each candidate is judged by every fold, by networks that have not seen it") {
  const auto points = disc(203, 1);
  const std::vector<SGD> candidates = {{.lr = 0.1}, {.lr = 0}};
  const auto results = cross_validate<Mlp>(Host{.threads = 2}, points, CrossEntropyLoss{}, candidates,
                                           {.folds = 4, .batch_size = 10, .epochs = 6, .seed = 3});
  REQUIRE(results.size() == 2);
  const auto folds = k_folds(203, 4);
  for (std::size_t c = 0; c < 2; ++c) {
    REQUIRE(results[c].folds.size() == 4);
    double loss[4], accuracy[4], mean = 0, squares = 0, right = 0;
    for (std::size_t f = 0; f < 4; ++f) {
      Network<Mlp> net{{.seed = 3 + f}};
      const auto all = subset(points, 0, 203), held_out = subset(points, folds[f].first, folds[f].count);
      fit(net, all, CrossEntropyLoss{}, candidates[c], {.batch_size = 10, .epochs = 6, .held_out = folds[f]});
      const auto judged = evaluate(net, held_out, CrossEntropyLoss{});
      loss[f] = judged.loss;
      accuracy[f] = judged.accuracy;
      CHECK(results[c].folds[f].epochs.size() == 6);
      CHECK(results[c].folds[f].epochs.back().validation_loss == judged.loss);
      mean += loss[f] / 4;
      right += accuracy[f] / 4;
    }
    for (const double one : loss) squares += (one - mean) * (one - mean);
    CHECK(results[c].loss.mean == doctest::Approx(mean));
    CHECK(results[c].loss.error == doctest::Approx(std::sqrt(squares / 3) / 2));
    CHECK(results[c].accuracy.mean == doctest::Approx(right));
  }
  CHECK(results[0].loss.mean < results[1].loss.mean);
}

TEST_CASE("the last batch of each fold's epoch may be left out") {
  const auto results = cross_validate<Mlp>(Host{}, disc(203, 1), CrossEntropyLoss{}, std::vector<SGD>{{.lr = 0.1}},
                                           {.folds = 4, .batch_size = 10, .drop_last = true});
  for (const History& fold : results[0].folds) CHECK(fold.samples_per_epoch == 150);  // of 152 or 153
}

TEST_CASE("a candidate that diverges is the worst, and says why") {
  const auto points = disc(100, 1);
  const std::vector<SGD> candidates = {{.lr = 1e30}, {.lr = 0.1}};
  const auto results = cross_validate<Mlp>(Host{}, points, CrossEntropyLoss{}, candidates, {.folds = 2, .epochs = 3});
  CHECK(std::isinf(results[0].loss.mean));
  CHECK(std::isnan(results[0].accuracy.mean));
  CHECK((has(results[0].folds[0].stopped, "not finite") || has(results[0].folds[1].stopped, "not finite")));
  CHECK(std::isfinite(results[1].loss.mean));
}

TEST_CASE("a candidate that ends with weights that are useless is among the worst, though no step was stopped") {
  const auto points = disc(30, 1);
  const std::vector<SGD> candidates = {{.lr = 3e20}, {.lr = 0.1}};
  const auto results =
      cross_validate<Mlp>(Host{}, points, CrossEntropyLoss{}, candidates, {.folds = 2, .batch_size = 30});
  CHECK(results[0].folds[0].stopped.empty());
  CHECK(std::isinf(results[0].loss.mean));
  CHECK(std::isfinite(results[1].loss.mean));
}

TEST_CASE("numbers can be targets; then there is no accuracy") {
  const auto x = inputs<Shape<2>>(30);
  const auto y = inputs<Shape<2>>(30, 1, 2);
  const auto results =
      cross_validate<Mlp>(Host{}, dataset(x, y), MSELoss{}, std::vector<Adam>{{.lr = 0.01}}, {.folds = 3});
  CHECK(std::isfinite(results[0].loss.mean));
  CHECK(std::isnan(results[0].accuracy.mean));
}

TEST_CASE("impossible cross-validations are refused") {
  const auto points = disc(10, 1);
  const auto refused = [&](const std::vector<SGD>& candidates, const CrossValidationOptions& options) {
    return error_of([&] { cross_validate<Mlp>(Host{}, points, CrossEntropyLoss{}, candidates, options); });
  };
  CHECK(has(refused({}, {}), "no candidates"));
  CHECK(has(refused({{}}, {.folds = 1}), "1 folds of 10 rows"));
  CHECK(has(refused({{}}, {.folds = 11}), "11 folds of 10 rows"));
  CHECK(has(refused({{}}, {.epochs = 0}), "epochs = 0"));
  CHECK(has(refused({{}}, {.batch_size = 0}), "batch_size = 0"));
  CHECK(has(refused({{}, {.momentum = -1}}, {}), "candidate 1: SGD was given momentum"));
}
