// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "sinter/sinter.hpp"
#include "support/error_of.hpp"
#include "support/training.hpp"

using namespace sinter::internal;
using namespace sinter_test;

namespace {

struct Mlp : Sequential<Input<3>, Linear<7>, ReLU, Dropout<0.3>, Linear<4>, LogSoftmax> {};

struct Rows {
  Tensor<float, Shape<3>> x = inputs<Shape<3>>(41);
  std::vector<int> labels = labels_for(41, 4);
  auto data() const { return dataset(x, labels); }
};

const std::vector<SGD> rates = {{.lr = 0.01}, {.lr = 0.1, .momentum = 0.5}, {.lr = 0.3}, {.lr = 0}, {.lr = 0.05}};

}  // namespace

TEST_CASE("members of an ensemble are the networks that fit trains one by one, on any number of threads") {
  const Rows rows;
  const auto data = rows.data();
  const auto folds = k_folds(41, 5);
  for (const int threads : {1, 3}) {
    CAPTURE(threads);
    Ensemble<Mlp> nets(Host{.threads = threads}, 5, {.seed = 7});
    const auto histories =
        fit(nets, data, NLLLoss{}, rates, {.batch_size = 8, .epochs = 3, .held_out = folds, .first_epoch = 2});
    REQUIRE(histories.size() == 5);
    for (std::size_t m = 0; m < 5; ++m) {
      CAPTURE(m);
      Network<Mlp> alone{{.seed = 7 + m}};
      const auto held_out = subset(data, folds[m].first, folds[m].count);
      const History want =
          fit(alone, data, NLLLoss{}, rates[m],
              {.batch_size = 8, .epochs = 3, .validation = &held_out, .held_out = folds[m], .first_epoch = 2});
      CHECK(same(weights(nets[m]), weights(alone)));
      REQUIRE(histories[m].epochs.size() == 3);
      CHECK(histories[m].samples_per_epoch == 41 - folds[m].count);
      for (std::size_t e = 0; e < 3; ++e) {
        CHECK(histories[m].epochs[e].train_loss == want.epochs[e].train_loss);
        CHECK(histories[m].epochs[e].validation_loss == want.epochs[e].validation_loss);
        CHECK(histories[m].epochs[e].validation_accuracy == want.epochs[e].validation_accuracy);
        CHECK(histories[m].epochs[e].learning_rate == rates[m].lr);
      }
    }
    CHECK(same(weights(nets[3]), weights(Network<Mlp>{{.seed = 10}})));  // its rate is 0

    const auto judged = evaluate(nets, data, NLLLoss{});
    REQUIRE(judged.size() == 5);
    for (std::size_t m = 0; m < 5; ++m) CHECK(judged[m].loss == evaluate(nets[m], data, NLLLoss{}).loss);
  }
}

TEST_CASE("without folds nothing is held out; one optimizer may be for all") {
  const Rows rows;
  const auto data = rows.data();
  const std::vector<std::uint64_t> seeds = {9, 4, 9};
  Ensemble<Mlp> nets(Host{}, seeds);
  const auto histories = fit(nets, data, NLLLoss{}, Adam{.lr = 0.01}, {.batch_size = 10, .epochs = 2});
  Network<Mlp> alone{{.seed = 4}};
  fit(alone, data, NLLLoss{}, Adam{.lr = 0.01}, {.batch_size = 10, .epochs = 2});
  CHECK(same(weights(nets[1]), weights(alone)));
  CHECK(same(weights(nets[0]), weights(nets[2])));
  CHECK(histories[0].samples_per_epoch == 41);
  CHECK(std::isnan(histories[0].epochs.back().validation_loss));
}

TEST_CASE("the last batch of each member's epoch may be left out") {
  const Rows rows;
  const auto data = rows.data();
  const auto folds = k_folds(41, 3);
  Ensemble<Mlp> nets(3, {.seed = 7});
  const auto schedule = per_step(SGD{.lr = 0.1}, StepLR{.step_size = 2});
  const auto histories =
      fit(nets, data, NLLLoss{}, schedule, {.batch_size = 8, .epochs = 2, .held_out = folds, .drop_last = true});
  for (std::size_t m = 0; m < 3; ++m) {
    CAPTURE(m);
    Network<Mlp> alone{{.seed = 7 + m}};
    const History want =
        fit(alone, data, NLLLoss{}, schedule, {.batch_size = 8, .epochs = 2, .held_out = folds[m], .drop_last = true});
    CHECK(histories[m].samples_per_epoch == 24);  // of 27 or 28
    CHECK(same(weights(nets[m]), weights(alone)));
    CHECK(histories[m].epochs.back().learning_rate == want.epochs.back().learning_rate);
  }
  CHECK(error_of(
            [&] { fit(nets, data, NLLLoss{}, schedule, {.batch_size = 28, .held_out = folds, .drop_last = true}); }) ==
        "member 0: fit was asked to drop the last batch of 27 rows, and there is no other of batch_size = 28; make "
        "batches smaller, or leave out .drop_last");
}

TEST_CASE("a member that diverges stops, and the others continue") {
  const Rows rows;
  const auto data = rows.data();
  Ensemble<Mlp> nets(3);
  const std::vector<SGD> optimizers = {{.lr = 0.1}, {.lr = 1e30}, {.lr = 0.1}};
  const auto histories = fit(nets, data, NLLLoss{}, optimizers, {.batch_size = 4, .epochs = 4});
  CHECK(histories[0].stopped.empty());
  CHECK(has(histories[1].stopped, "is not finite"));
  CHECK(histories[2].epochs.size() == 4);
  for (const float w : weights(nets[1])) CHECK(std::isfinite(w));
}

TEST_CASE("what does not belong together is refused before anything is trained") {
  const Rows rows;
  const auto data = rows.data();
  Ensemble<Mlp> nets(3);
  const auto before = weights(nets[0]);
  const auto refused = [&](const std::vector<SGD>& optimizers, const EnsembleFitOptions& options) {
    return error_of([&] { fit(nets, data, NLLLoss{}, optimizers, options); });
  };
  const std::vector<SGD> three(3, SGD{.lr = 0.1});
  CHECK(has(refused(std::vector<SGD>(2), {}), "2 optimizers for an ensemble of 3 networks"));
  CHECK(has(refused(three, {.held_out = k_folds(41, 4)}), "4 folds for an ensemble of 3 networks"));
  CHECK(has(refused(three, {.held_out = {{}, {40, 2}, {}}}), "member 1: fit was asked to hold out 2 rows from row 40"));
  CHECK(has(refused(three, {.batch_size = 0}), "batch_size = 0"));
  CHECK(has(refused({{}, {.lr = -1}, {}}, {}), "member 1: SGD was given lr = -1"));
  CHECK(has(error_of([] { Ensemble<Mlp> none(0); }), "ensemble of 0 networks"));
  CHECK(has(error_of([] { Ensemble<Mlp> none(Host{}, -1); }), "ensemble of -1 networks"));
  CHECK(has(error_of([] { Ensemble<Mlp> none(Host{}, std::initializer_list<std::uint64_t>{}); }),
            "ensemble of 0 networks"));
  CHECK(error_of([] { Ensemble<Mlp> all(1'000'000'000'000); }) ==
        "an ensemble of 1000000000000 networks was asked for; ask for 1 to 1048576");
  CHECK(has(error_of([] { Ensemble<Mlp> all(static_cast<std::size_t>(-1)); }), "ensemble of -1 networks"));
  Tensor<float, Shape<3>> bad = rows.x;
  bad(40, 1) = std::numeric_limits<float>::infinity();
  CHECK(has(error_of([&] { fit(nets, dataset(bad, rows.labels), NLLLoss{}, three); }), "row 40"));
  CHECK(same(before, weights(nets[0])));
}

TEST_CASE("seeds may be listed, and a batch may be larger than the dataset") {
  const Rows rows;
  const auto data = rows.data();
  Ensemble<Mlp> nets(Host{}, {5, 6}), all(Host{}, {5, 6}), one(Host{}, {5});
  CHECK(one.size() == 1);
  CHECK(nets[1].seed() == 6);
  fit(nets, data, NLLLoss{}, SGD{.lr = 0.1}, {.batch_size = std::numeric_limits<std::size_t>::max(), .epochs = 2});
  fit(all, data, NLLLoss{}, SGD{.lr = 0.1}, {.batch_size = 41, .epochs = 2});
  for (std::size_t m = 0; m < 2; ++m) CHECK(same(weights(nets[m]), weights(all[m])));
  const auto y = predict(nets, data);
  REQUIRE(y.size() == 2);
  const auto want = predict(nets[1], data);
  CHECK(std::equal(want.values().begin(), want.values().end(), y[1].values().begin()));
}
