// SPDX-License-Identifier: MIT
// labels: threads
// What the C interface of a trainable library is made of: losses, optimizers and schedules by name have the bits of their own
// types, and texts that mean nothing are refused.
#include <doctest/doctest.h>

#include <cmath>
#include <cstring>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "sinter/library/named_network.hpp"
#include "sinter/sinter.hpp"
#include "support/error_of.hpp"
#include "support/training.hpp"

using namespace sinter::internal;
using namespace sinter_test;

namespace {

struct Net : Sequential<Input<3>, Linear<6>, Tanh, Dropout<0.1>, Linear<2>> {};
using OnHost = detail::NamedNetwork<Net, Host>;

constexpr std::size_t rows = 23;
const auto x = inputs<Shape<3>>(rows);
const auto labels = labels_for(rows, 2);
const std::vector<std::int32_t> given_labels(labels.begin(), labels.end());
const auto targets = inputs<Shape<2>>(rows, 5);
const std::vector<float> weights = [] {
  std::vector<float> all(rows, 1);
  all[4] = 3;
  all[7] = 0;
  return all;
}();

sinter_trainable::Rows rows_given(bool of_labels, bool weighted = false) {
  return {rows, x.data(), of_labels ? given_labels.data() : nullptr, of_labels ? nullptr : targets.data(),
          weighted ? weights.data() : nullptr};
}

std::vector<float> numbers(sinter_trainable::Network& net) {
  std::vector<float> all;
  for (std::size_t i = 0; i < net.parameters(); ++i) {
    const sinter_trainable::ParameterFacts facts = net.parameter(i);
    const float* const from = net.parameter(facts.name);
    all.insert(all.end(), from, from + facts.size);
  }
  return all;
}

/// The weights after two calls of fit, an epoch each.
std::vector<float> by_name(const char* loss, const char* optimizer, const char* schedule, bool weighted) {
  const auto net = std::make_shared<OnHost>("host:2", 5);
  const auto trainer = net->trainer(loss, optimizer, schedule);
  sinter_trainable::FitOptions options{.batch_size = 10};
  const bool of_labels = std::strstr(loss, "CrossEntropy") != nullptr;
  trainer->fit(rows_given(of_labels, weighted), options);
  trainer->fit(rows_given(of_labels, weighted), options);
  CHECK(trainer->epochs() == 2);
  return numbers(*net);
}
template <class Loss, class Optimizer>
std::vector<float> by_type(const Loss& loss, const Optimizer& optimizer, bool weighted) {
  Network<Net> net{NetworkOptions{.seed = 5}};
  const auto train = [&](const auto& wanted) {
    if (weighted)
      fit(net, dataset(x, wanted, weights), loss, optimizer, {.batch_size = 10, .epochs = 2});
    else
      fit(net, dataset(x, wanted), loss, optimizer, {.batch_size = 10, .epochs = 2});
  };
  if constexpr (std::is_same_v<typename Loss::Target, ClassTarget>)
    train(labels);
  else
    train(targets);
  std::vector<float> all;
  for (const auto& parameter : net.parameters()) all.insert(all.end(), parameter.value.begin(), parameter.value.end());
  return all;
}

}  // namespace

TEST_CASE("optimizers by name have the bits of their types") {
  for (const bool weighted : {false, true}) {
    const auto same = [&](const char* text, const auto& optimizer) {
      CAPTURE(text);
      CHECK(by_name("CrossEntropyLoss", text, "", weighted) == by_type(CrossEntropyLoss{}, optimizer, weighted));
    };
    same("SGD(lr=0.1)", SGD{.lr = 0.1});
    same("SGD(lr=0.1, momentum=0.9, nesterov=True)", SGD{.lr = 0.1, .momentum = 0.9, .nesterov = true});
    same("Adam", Adam{});
    same("AdamW(weight_decay=0.1)", AdamW{.weight_decay = 0.1});
    same("RMSprop(centered=1,momentum=0.5)", RMSprop{.momentum = 0.5, .centered = true});
    same(" Adagrad ( lr = 0.1 ) ", Adagrad{.lr = 0.1});
    same("Lion()", Lion{});
  }
}

TEST_CASE("losses by name have the bits of their types") {
  const Adam adam{.lr = 0.01};
  const auto same = [&](const char* text, const auto& loss) {
    CAPTURE(text);
    CHECK(by_name(text, "Adam(lr=0.01)", "", false) == by_type(loss, adam, false));
  };
  same("CrossEntropyLoss(label_smoothing=0.1)", CrossEntropyLoss{.label_smoothing = 0.1});
  same("MSELoss", MSELoss{});
  same("L1Loss", L1Loss{});
  same("SmoothL1Loss(beta=0.5)", SmoothL1Loss{.beta = 0.5});
  same("HuberLoss(delta=0.5)", HuberLoss{.delta = 0.5});
}

TEST_CASE("schedules by name have the bits of their types") {
  const SGD sgd{.lr = 0.1};
  const auto same = [&](const char* text, const auto& optimizer) {
    CAPTURE(text);
    CHECK(by_name("MSELoss", "SGD(lr=0.1)", text, false) == by_type(MSELoss{}, optimizer, false));
  };
  same("StepLR(step_size=1)", per_epoch(sgd, StepLR{.step_size = 1}));
  same("per_epoch( ExponentialLR(gamma=0.5) )", per_epoch(sgd, ExponentialLR{.gamma = 0.5}));
  same("per_step(LinearLR(total_iters=4))", per_step(sgd, LinearLR{.total_iters = 4}));
  same("per_step(OneCycleLR(total_steps=6))", per_step(sgd, OneCycleLR{.total_steps = 6}));
  same("per_step(WarmUp(total_iters=2, then=CosineAnnealingLR(T_max=4)))",
       per_step(sgd, WarmUp{2, CosineAnnealingLR{.T_max = 4}}));
  same("WarmUp(total_iters=3)", per_epoch(sgd, LinearLR{.total_iters = 3}));
}

TEST_CASE("a plateau lowers the rate, and patience ends the training with the best weights") {
  const auto net = std::make_shared<OnHost>("host", 5);
  const auto trainer =
      net->trainer("MSELoss", "SGD(lr=0.001)", "ReduceLROnPlateau(patience=0, factor=0.5, threshold=0.9)");
  sinter_trainable::FitOptions options{.epochs = 4};
  trainer->fit(rows_given(false), options);
  CHECK(trainer->rate() == 0.001 / 8);
  CHECK(trainer->epoch(3).learning_rate == 0.001 / 4);
  options.patience = 1;
  options.least_gain = 10;
  options.restore_best = true;
  trainer->fit(rows_given(false), options);
  CHECK(trainer->epochs() == 6);
  CHECK(std::string(trainer->stopped()).find("no better loss for 1 epochs") == 0);
}

TEST_CASE("a training ends where it is told to, and goes on") {
  const auto net = std::make_shared<OnHost>("host", 5);
  const auto trainer = net->trainer("CrossEntropyLoss", "Adam", "");
  std::thread other([&] { trainer->stop(); });
  trainer->fit(rows_given(true), {.epochs = 1 << 30});
  other.join();
  CHECK(std::string(trainer->stopped()).find("stop was called") == 0);
  const std::size_t before = trainer->epochs();
  int told = 0;
  trainer->fit(
      rows_given(true),
      {.epochs = 5,
       .on_epoch = [](void* count, const sinter_trainable::Epoch&) { return int{++*static_cast<int*>(count) == 2}; },
       .context = &told});
  CHECK(trainer->epochs() == before + 2);
  CHECK(std::string(trainer->stopped()).find("the callback asked for it") == 0);
}

TEST_CASE("micro-batches, parameters and the optimizer's state in place; copies share nothing") {
  const auto net = std::make_shared<OnHost>("host", 5);
  const auto copy = net->copy();
  const auto trainer = net->trainer("MSELoss", "Adam", "");
  trainer->accumulate(rows_given(false));
  CHECK(net->gradient("0.bias")[0] != 0);
  trainer->update();
  CHECK(trainer->steps() == 1);
  CHECK(trainer->state("0.bias", 1)[0] > 0);
  CHECK(numbers(*copy) != numbers(*net));
  std::vector<float> bias(6);
  copy->read("0.bias", bias.data());
  bias[2] = 7;
  copy->write("0.bias", bias.data());
  CHECK(copy->parameter("0.bias")[2] == 7);
  CHECK(error_of([&] { trainer->state("0.bias", 2); }).find("the state 2 of an optimizer with 2") == 0);
  CHECK(error_of([&] { net->parameter(9); }) == "parameter 9 of 4 was asked for; they count from 0");
  std::vector<float> y(rows * 2);
  net->predict(x.data(), rows, y.data());
  net->predict(x.data(), 0, nullptr);
  double loss = 0, accuracy = 0;
  net->evaluate("CrossEntropyLoss", rows_given(true, true), loss, accuracy);
  CHECK(std::isfinite(loss));
  CHECK(accuracy >= 0);
}

TEST_CASE("texts, devices and rows that mean nothing are refused in words") {
  const auto net = std::make_shared<OnHost>("host", 5);
  const auto of = [&](const char* loss, const char* optimizer, const char* schedule) {
    return error_of([&] { net->trainer(loss, optimizer, schedule); });
  };
  CHECK(of("Cross", "SGD", "") ==
        "the loss \"Cross\" is not known; give one of CrossEntropyLoss, NLLLoss, MSELoss, L1Loss, SmoothL1Loss, "
        "HuberLoss, BCEWithLogitsLoss, KLDivLoss");
  CHECK(of("MSELoss", "sgd", "").find("the optimizer \"sgd\" is not known; give one of SGD, Adam") == 0);
  CHECK(of("MSELoss", "SGD", "per_step(Cosine)").find("the schedule \"Cosine\" is not known") == 0);
  CHECK(of("MSELoss", "SGD(speed=1)", "") ==
        "SGD was given the option \"speed\", and has lr, momentum, dampening, weight_decay, nesterov; correct its name "
        "or leave it out");
  CHECK(of("MSELoss(a=1)", "SGD", "").find("MSELoss was given the option \"a\", and has none") == 0);
  CHECK(of("MSELoss", "SGD(lr=0,1)", "").find("where an option has no =") != std::string::npos);
  CHECK(of("MSELoss", "SGD(nesterov=maybe)", "").find("expected true or false") != std::string::npos);
  CHECK(of("MSELoss", "SGD", "StepLR(step_size=1.5)").find("expected a whole number") != std::string::npos);
  CHECK(of("MSELoss", "SGD", "WarmUp(then=5)").find("the schedule \"5\" is not known") == 0);
  CHECK(of("NLLLoss", "SGD", "").find("NLLLoss takes log-probabilities") == 0);
  for (const char* text : {"(", ")", "()", "SGD(", "SGD)", "SGD(lr=1", "SGD(lr=1))", "SGD((lr=1)", "SGD(,)", "SGD(lr=)",
                           "SGD(=1)", "SGD(lr=1,)", "SGD(lr=1, lr=1)", "\xff", "SGD(lr=0x1)", "SGD(lr=1e999)"}) {
    CAPTURE(text);
    CHECK(!of("MSELoss", text, "").empty());
  }
  CHECK(!of("MSELoss", std::string(100000, '(').c_str(), "").empty());
  for (const char* device : {"host:0", "host:-1", "host:", "host:1x", "hosts", "host:9999999999"})
    CHECK(error_of([&] { OnHost(device, 1); }).find("the device \"" + std::string(device)) == 0);

  const auto trainer = net->trainer("CrossEntropyLoss", "SGD", "");
  CHECK(error_of([&] { trainer->step(rows_given(false)); }).find("this loss compares with labels") == 0);
  sinter_trainable::Rows both = rows_given(true);
  both.targets = targets.data();
  CHECK(error_of([&] { trainer->step(both); }).find("labels and targets were given") == 0);
  sinter_trainable::Rows many = rows_given(true);
  many.count = static_cast<std::size_t>(-1);
  CHECK(error_of([&] { trainer->step(many); }).find("no machine has memory for") != std::string::npos);
  sinter_trainable::Rows blind = rows_given(true);
  blind.inputs = nullptr;
  CHECK(error_of([&] { trainer->step(blind); }).find("rows without inputs") == 0);
  const auto growing = net->trainer("MSELoss", "SGD(lr=1e30)", "");
  CHECK_THROWS_AS(for (int i = 0; i < 5; ++i) growing->step(rows_given(false)), sinter_trainable::NotFinite);
}

TEST_CASE("a schedule of epochs counts those that were made, whatever the batches and whatever was refused") {
  const auto net = std::make_shared<OnHost>("host", 5);
  const auto halving = [&] { return net->trainer("MSELoss", "SGD(lr=1e-3)", "StepLR(step_size=2, gamma=0.5)"); };
  const auto rates = [](const sinter_trainable::Trainer& trainer) {
    std::vector<double> all;
    for (std::size_t i = 0; i < trainer.epochs(); ++i) all.push_back(trainer.epoch(i).learning_rate);
    return all;
  };
  const std::vector<double> wanted{1e-3, 1e-3, 0.5e-3, 0.5e-3, 0.25e-3, 0.25e-3};
  const auto refused = halving();
  CHECK_THROWS(refused->fit(rows_given(false), {.batch_size = 1, .patience = -1}));
  refused->fit(rows_given(false), {.batch_size = 10, .epochs = 6});
  CHECK(rates(*refused) == wanted);
  const auto none = halving();
  none->fit(rows_given(false), {.batch_size = 1, .epochs = 0});
  none->fit(rows_given(false), {.batch_size = 10, .epochs = 6});
  CHECK(rates(*none) == wanted);
  const auto other = halving();
  other->fit(rows_given(false), {.batch_size = 3, .epochs = 2});
  other->step(rows_given(false));
  other->fit(rows_given(false), {.batch_size = 10, .epochs = 4});
  CHECK(rates(*other) == wanted);
  CHECK(net->trainer("MSELoss", "SGD(lr=1)", "per_step(WarmUp(total_iters=4, start_factor=0.25))")->rate() == 0.25);
  CHECK(net->trainer("MSELoss", "SGD(lr=1)", "WarmUp(start_factor=0)")->rate() == 0);
  CHECK(error_of([&] {
          halving()->fit(rows_given(false), {.batch_size = 100, .drop_last = true});
        }).find("fit was asked to drop the last batch of 23 rows") == 0);
  halving()->fit(rows_given(false), {.batch_size = static_cast<std::size_t>(-1)});
  CHECK(error_of([&] { halving()->step(rows_given(false)); }).find("the schedule counts epochs, and no fit") == 0);
}

TEST_CASE(
    "fit within fit is refused, records are there while it runs, and a stop waits for the fit that is not refused") {
  struct Seen {
    sinter_trainable::Trainer* trainer;
    std::vector<std::size_t> epochs;
    std::string said;
  };
  const auto net = std::make_shared<OnHost>("host", 5);
  const auto trainer = net->trainer("CrossEntropyLoss", "SGD", "");
  Seen seen{trainer.get(), {}, {}};
  trainer->fit(rows_given(true), {.epochs = 2,
                                  .on_epoch =
                                      [](void* context, const sinter_trainable::Epoch&) {
                                        Seen& at = *static_cast<Seen*>(context);
                                        at.epochs.push_back(at.trainer->epochs());
                                        at.said = error_of([&] { at.trainer->fit(rows_given(true), {}); });
                                        return 0;
                                      },
                                  .context = &seen});
  CHECK(seen.epochs == std::vector<std::size_t>{1, 2});
  CHECK(seen.said == "fit was called by a callback of fit; call it when that has returned");
  CHECK(trainer->epochs() == 2);
  trainer->stop();
  CHECK_THROWS(trainer->fit(rows_given(true), {.batch_size = 0}));
  CHECK_THROWS(trainer->fit(rows_given(false), {}));
  trainer->fit(rows_given(true), {.batch_size = 10, .epochs = 3});
  CHECK(trainer->epochs() == 2);
  const auto growing = net->trainer("MSELoss", "SGD(lr=1e30)", "");
  CHECK_THROWS_AS(growing->fit(rows_given(false), {.epochs = 9}), sinter_trainable::NotFinite);
  CHECK_NOTHROW(growing->fit(rows_given(false), {.epochs = 0}));
}

TEST_CASE("texts that would mean something else than they say") {
  const auto net = std::make_shared<OnHost>("host", 5);
  const auto of = [&](const char* schedule) { return error_of([&] { net->trainer("MSELoss", "SGD", schedule); }); };
  for (const char* text :
       {"per_step(StepLR(step_size=10)) gamma=0.5", "per_step(StepLR(step_size=10))garbage", "per_step",
        "WarmUp(then=)", "WarmUp(then=ReduceLROnPlateau())", "WarmUp(then=per_step(StepLR()))",
        "per_step(ReduceLROnPlateau(patience=1))", "WarmUp(then=WarmUp())", "(",
        "ReduceLROnPlateau(patience=4294967298)", "ReduceLROnPlateau(cooldown=4294967296)",
        "ReduceLROnPlateau(threshold=1)", "StepLR(step_size=99999999999999999999)"}) {
    CAPTURE(text);
    CHECK(!of(text).empty());
  }
  CHECK(of("ReduceLROnPlateau(patience=4294967298)").find("expected a whole number of at most 2147483647") !=
        std::string::npos);
  const auto trainer = net->trainer("BCEWithLogitsLoss", "SGD", "");
  CHECK(error_of([&] { trainer->step(rows_given(false)); }).find("the loss compares with probabilities") !=
        std::string::npos);
}
