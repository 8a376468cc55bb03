// SPDX-License-Identifier: MIT
// Schedules given to fit().
#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "sinter/sinter.hpp"
#include "support/check_refused.hpp"
#include "support/error_of.hpp"
#include "support/training.hpp"

using namespace sinter;
using namespace sinter_test;

namespace {

struct Net : Sequential<Input<3>, Linear<7>, Tanh, Linear<2>> {};
const auto x = inputs<Shape<3>>(23);
const auto labels = labels_for(23, 2);
const auto data = dataset(x, labels);

template <class Optimizer, class... Callbacks>
std::vector<double> rates(const Optimizer& optimizer, int epochs, int first_epoch, Callbacks&&... callbacks) {
  Network<Net> net{NetworkOptions{.seed = 1}};
  std::vector<double> all;
  for (const EpochRecord& e : fit(net, data, CrossEntropyLoss{}, optimizer,
                                  {.batch_size = 10, .epochs = epochs, .first_epoch = first_epoch}, callbacks...)
                                  .epochs)
    all.push_back(e.learning_rate);
  return all;
}

/// Better for three epochs, and then no more.
struct SameLossEachEpoch {
  ReduceLROnPlateau plateau;
  double next_rate(const EpochRecord& record, double lr) {
    return plateau(lr, record.epoch < 3 ? 1.0 / record.epoch : 1);
  }
};

}  // namespace

TEST_CASE("fit follows a schedule of epochs, and continues where an earlier call stopped") {
  const StepLR halves{.step_size = 2, .gamma = 0.5};
  CHECK(rates(per_epoch(SGD{.lr = 0.8}, halves), 5, 0) == std::vector<double>{0.8, 0.8, 0.4, 0.4, 0.2});
  CHECK(rates(per_epoch(SGD{.lr = 0.8}, halves), 2, 3) == std::vector<double>{0.4, 0.2});
}

TEST_CASE("fit follows a schedule of steps") {
  // Three steps an epoch: the record is of its last.
  const StepLR halves{.step_size = 1, .gamma = 0.5};
  CHECK(rates(per_step(SGD{.lr = 64}, halves), 2, 0) == std::vector<double>{16, 2});
  CHECK(rates(per_step(SGD{.lr = 64}, halves), 1, 1) == std::vector<double>{2});
}

TEST_CASE("fit of a Trainer goes on with its state: parts have the bits, losses and rates of the whole") {
  const auto trained = [](const std::vector<int>& parts) {
    Network<Net> net{NetworkOptions{.seed = 1}};
    Trainer trainer{net, CrossEntropyLoss{}, per_epoch(Adam{.lr = 0.05}, StepLR{.step_size = 2, .gamma = 0.5}, 3)};
    std::vector<double> all;
    int first = 0;
    for (const int epochs : parts) {
      for (const EpochRecord& e : fit(trainer, data, {.batch_size = 10, .epochs = epochs, .first_epoch = first},
                                      [](const EpochRecord&, const History&) {})
                                      .epochs)
        all.insert(all.end(), {static_cast<double>(e.epoch), e.train_loss, e.learning_rate});
      first += epochs;
    }
    all.insert(all.end(), net.data(), net.data() + internal::Program<Net>::arena_size);
    return all;
  };
  const auto whole = trained({5});
  CHECK(trained({1, 1, 3}) == whole);
  CHECK(trained({2, 3}) == whole);
  CHECK(trained({4}) != whole);

  Network<Net> net{NetworkOptions{.seed = 1}}, other{NetworkOptions{.seed = 1}};
  Trainer trainer{net, CrossEntropyLoss{}, Adam{.lr = 0.05}};
  fit(trainer, data, {.batch_size = 10, .epochs = 3, .held_out = {3, 5}});
  fit(other, data, CrossEntropyLoss{}, Adam{.lr = 0.05}, {.batch_size = 10, .epochs = 3, .held_out = {3, 5}});
  CHECK(std::equal(net.data(), net.data() + internal::Program<Net>::arena_size, other.data()));
  CHECK(trainer.steps() == 6);
  CHECK(error_of([&] { fit(trainer, data, {.batch_size = 0}); }).find("batch_size = 0") < 100);
}

TEST_CASE("fit with a schedule trains as a loop that sets the rate does") {
  const CosineAnnealingLR cosine{.T_max = 9, .eta_min = 0.01};
  const auto by_fit = [&](int threads) {
    Network<Net> net(Host{.threads = threads}, {.seed = 1});
    fit(net, data, CrossEntropyLoss{}, per_step(SGD{.lr = 0.3, .momentum = 0.9}, cosine),
        {.batch_size = 10, .epochs = 3, .shuffle = false});
    return weights(net);
  };
  Network<Net> net{{.seed = 1}};
  Trainer trainer{net, CrossEntropyLoss{}, SGD{.lr = 0.3, .momentum = 0.9}};
  for (long step = 0; step < 9; ++step) {
    trainer.optimizer().lr = cosine(0.3, step);
    const std::size_t first = static_cast<std::size_t>(step % 3) * 10;
    trainer.step(subset(data, first, std::min<std::size_t>(10, 23 - first)));
  }
  CHECK(same(by_fit(1), weights(net)));
  CHECK(same(by_fit(2), weights(net)));
}

TEST_CASE("a Trainer takes a schedule of steps, or of epochs whose number of steps it is given") {
  Network<Net> net{{.seed = 1}};
  Trainer trainer{net, CrossEntropyLoss{}, per_epoch(SGD{.lr = 1}, StepLR{}, 2)};
  CHECK(trainer.optimizer().rate(3) == doctest::Approx(0.1));
  for (const double rate : {1.0, 1.0, 0.1, 0.1, 0.01}) {
    CHECK(trainer.rate() == doctest::Approx(rate));
    trainer.step(data);
  }
  Trainer plain{net, CrossEntropyLoss{}, SGD{.lr = 0.5}};
  CHECK(plain.rate() == 0.5);
  plain.optimizer().lr = 0.25;
  CHECK(plain.rate() == 0.25);
  check_refused([&] { Trainer(net, CrossEntropyLoss{}, per_epoch(SGD{.lr = 1}, StepLR{})); },
                {"per_epoch", "number of steps of an epoch"});
}

namespace {
/// A schedule that gives a wrong rate at step 4, the second of the second epoch.
struct WrongAt4 {
  double wrong;
  double operator()(double lr, long t) const { return t == 4 ? wrong : lr; }
  void check() const {}
};
struct NextRate {
  double rate;
  double next_rate(const EpochRecord& record, double lr) const { return record.epoch == 2 ? rate : lr; }
};
}  // namespace

TEST_CASE("a wrong rate of a schedule ends fit with its history, and is no update of a Trainer") {
  const auto why = [](const char* rate) {
    return std::string("the schedule gives update 4 the learning rate ") + rate +
           ", expected one of 0 or more that is finite in the precision of the network: it was left out and the "
           "parameters "
           "are those of the step before; "
           "correct the schedule";
  };
  for (const auto& [rate, text] : {std::pair{-1.0, "-1"}, std::pair{std::nan(""), "nan"}, std::pair{HUGE_VAL, "inf"},
                                   std::pair{1e300, "1e+300"}}) {
    const auto optimizer = per_step(SGD{.lr = 0.1}, WrongAt4{rate});
    Network<Net> net{{.seed = 1}}, same_net{{.seed = 1}}, clipped{{.seed = 1}};
    const History history = fit(net, data, CrossEntropyLoss{}, optimizer, {.batch_size = 10, .epochs = 3});
    CHECK(history.stopped == "epoch 2: " + why(text));
    CHECK(history.epochs.size() == 1);
    CHECK(fit(clipped, data, CrossEntropyLoss{}, clip_grad_norm(optimizer, 1e6), {.batch_size = 10, .epochs = 3})
              .stopped == "epoch 2: " + why(text));
    CHECK(same(weights(clipped), weights(net)));

    Trainer trainer{same_net, CrossEntropyLoss{}, optimizer};
    for (int step = 0; step < 4; ++step) trainer.step(data);
    CHECK(trainer.problem().empty());
    const auto before = weights(same_net);
    trainer.step(data);
    CHECK(trainer.problem() == why(text));
    CHECK(same(weights(same_net), before));
  }
}

TEST_CASE("so does a wrong rate of a callback") {
  for (const auto& [rate, text] : {std::pair{-1.0, "-1"}, std::pair{std::nan(""), "nan"}, std::pair{HUGE_VAL, "inf"}}) {
    Network<Net> net{{.seed = 1}};
    const History history =
        fit(net, data, CrossEntropyLoss{}, SGD{.lr = 0.1}, {.batch_size = 10, .epochs = 5}, NextRate{rate});
    CHECK(history.stopped == std::string("after epoch 2: next_rate gave the learning rate ") + text +
                                 ", expected a finite number of 0 or more; correct that callback");
    CHECK(history.epochs.size() == 2);
  }
}

TEST_CASE("a plateau reduces the rate of what follows") {
  const auto by_plateau = [](ReduceLROnPlateau plateau) {
    return rates(SGD{.lr = 0.1}, 7, 0, SameLossEachEpoch{plateau});
  };
  const auto close = [](const std::vector<double>& got, const std::vector<double>& want) {
    REQUIRE(got.size() == want.size());
    for (std::size_t i = 0; i < got.size(); ++i) CHECK(got[i] == doctest::Approx(want[i]));
  };
  close(by_plateau({.patience = 1}), {0.1, 0.1, 0.1, 0.1, 0.01, 0.01, 0.001});
  close(by_plateau({.factor = 0.5, .patience = 0, .min_lr = 0.04}), {0.1, 0.1, 0.1, 0.05, 0.04, 0.04, 0.04});
  // As itself, by the loss of the validation: of a rate of 0 nothing gets better.
  ReduceLROnPlateau plateau{.patience = 0, .epsilon = 0};
  Network<Net> net{{.seed = 1}};
  const History history = fit(net, data, CrossEntropyLoss{}, SGD{.lr = 1e-30},
                              {.batch_size = 10, .epochs = 3, .validation = &data}, plateau);
  CHECK(history.epochs[2].learning_rate == doctest::Approx(1e-31));
  CHECK(plateau.best == history.epochs[0].validation_loss);
}

TEST_CASE("a schedule and a plateau together") {
  // The plateau lowers what the schedule starts from.
  const auto got = rates(per_epoch(SGD{.lr = 0.1}, StepLR{.step_size = 4}), 7, 0, SameLossEachEpoch{{.patience = 1}});
  CHECK(got[4] == doctest::Approx(0.001));
  CHECK(got[6] == doctest::Approx(0.0001));
}

TEST_CASE("the members of an ensemble follow schedules, each of its own steps") {
  Ensemble<Net> nets(Host{}, 2, {.seed = 1});
  const auto histories =
      fit(nets, data, CrossEntropyLoss{}, per_epoch(SGD{.lr = 0.8}, StepLR{.step_size = 1, .gamma = 0.5}),
          {.batch_size = 10, .epochs = 3, .held_out = {{0, 1}, {0, 12}}});
  for (const History& history : histories) {
    REQUIRE(history.epochs.size() == 3);
    CHECK(history.epochs[0].learning_rate == 0.8);
    CHECK(history.epochs[1].learning_rate == 0.4);
    CHECK(history.epochs[2].learning_rate == 0.2);
  }
}
