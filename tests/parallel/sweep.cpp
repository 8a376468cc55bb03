// SPDX-License-Identifier: MIT
// labels: threads large change sanitized
#include "sinter/sweep.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "data/temporary_folder.hpp"
#include "sinter/io/load.hpp"
#include "sinter/layers/activation.hpp"
#include "sinter/layers/batch_norm.hpp"
#include "sinter/layers/dropout.hpp"
#include "sinter/layers/linear.hpp"
#include "sinter/loss/cross_entropy.hpp"
#include "sinter/optimizer/adam.hpp"
#include "sinter/ranks.hpp"
#include "support/error_of.hpp"
#include "support/full_disk.hpp"
#include "support/killed.hpp"
#include "support/training.hpp"

using namespace sinter::internal;
using namespace sinter_test;

namespace {

struct Small : Sequential<Input<6>, Linear<5>, BatchNorm1d<>, ReLU, Linear<3>> {};
struct Wide : Sequential<Input<6>, Linear<16>, Tanh, Dropout<0.1>, Linear<3>> {};

const auto x = inputs<Shape<6>>(70);
const auto labels = labels_for(70, 3);
const auto data = dataset(x, labels);
const std::vector<Adam> rates = {{.lr = 0.01}, {.lr = 3e38}, {.lr = 0.1}, {.lr = 0.001}};
const Fold held_out{10, 20};

SweepOptions halving(const std::string& path = "") {
  return {.batch_size = 16, .epochs = 12, .rounds = 3, .factor = 2, .held_out = held_out, .seed = 4, .path = path};
}
template <class Device>
auto sweep_on(const Device& device, const SweepOptions& options = halving()) {
  return sweep<Small, Wide>(device, data, CrossEntropyLoss{}, rates, options);
}

/// One network after a fit of its own, and its loss on the rows held out.
template <class Model>
std::pair<Network<Model>, double> trained(const Adam& optimizer, int epochs) {
  Network<Model> net{{.seed = 4}};
  const History history =
      fit(net, data, CrossEntropyLoss{}, optimizer, {.batch_size = 16, .epochs = epochs, .held_out = held_out});
  const bool whole = history.stopped.empty();
  return {net, whole ? history.epochs.back().validation_loss : std::numeric_limits<double>::infinity()};
}
double loss_of(std::size_t candidate, int epochs) {
  const Adam& optimizer = rates[candidate % rates.size()];
  return candidate < rates.size() ? trained<Small>(optimizer, epochs).second : trained<Wide>(optimizer, epochs).second;
}

/// All that a sweep came to, but for the time it took.
std::vector<double> numbers_of(const std::vector<SweepResult>& results) {
  std::vector<double> all;
  for (const SweepResult& result : results) {
    for (const std::size_t number : {result.model, result.optimizer}) all.push_back(static_cast<double>(number));
    all.push_back(result.rounds);
    all.push_back(result.loss);
    for (const EpochRecord& record : result.history.epochs) {
      all.push_back(record.train_loss);
      all.push_back(record.validation_loss);
    }
    if (result.checkpoint.empty()) continue;
    const auto number = [&](const auto& net) {
      for (const float weight : weights(net)) all.push_back(static_cast<double>(weight));
    };
    if (result.model == 0) {
      Network<Small> net;
      load(net, result.checkpoint, {.partial = true});
      number(net);
    } else {
      Network<Wide> net;
      load(net, result.checkpoint, {.partial = true});
      number(net);
    }
  }
  return all;
}

}  // namespace

TEST_CASE("in one round all candidates are trained to the end, and the best is the first") {
  const auto found = sweep_on(Host{.threads = 2}, {.batch_size = 16, .epochs = 3, .held_out = held_out, .seed = 4});
  REQUIRE(found.size() == 8);
  for (std::size_t i = 0; i < 8; ++i) {
    CHECK(found[i].rounds == 1);
    CHECK(found[i].loss == loss_of(found[i].model * 4 + found[i].optimizer, 3));
    if (i > 0) CHECK(found[i - 1].loss <= found[i].loss);
    CHECK(found[i].history.stopped.empty() == (found[i].optimizer != 1));
  }
  CHECK(std::isinf(found[7].loss));
}

TEST_CASE("after each round the best half continues, with twice the epochs") {
  // By fits from the beginning.
  std::vector<std::size_t> left = {0, 1, 2, 3, 4, 5, 6, 7};
  std::vector<int> rounds(8);
  for (const int epochs : {3, 6, 12}) {
    for (const std::size_t candidate : left) ++rounds[candidate];
    std::ranges::sort(left, {}, [&](std::size_t candidate) { return loss_of(candidate, epochs); });
    if (epochs < 12) left.resize(left.size() / 2);
  }

  const auto found = sweep_on(Host{});
  REQUIRE(found.size() == 8);
  CHECK(found[0].model * 4 + found[0].optimizer == left[0]);
  for (const SweepResult& result : found) CHECK(result.rounds == rounds[result.model * 4 + result.optimizer]);
  CHECK(found[0].history.epochs.size() == 12);
  CHECK(found[7].history.epochs.size() <= 3);
  CHECK(std::ranges::count(rounds, 1) == 4);
  CHECK(std::ranges::count(rounds, 3) == 2);

  const auto check_weights = [&](auto net, const auto& expected) {
    load(net, found[0].checkpoint, {.partial = true});
    CHECK(same(weights(net), weights(expected)));
  };
  if (found[0].model == 0)
    check_weights(Network<Small>{}, trained<Small>(rates[found[0].optimizer], 12).first);
  else
    check_weights(Network<Wide>{}, trained<Wide>(rates[found[0].optimizer], 12).first);
}

TEST_CASE("a sweep over ranks, and over groups of them, is that of one") {
  const auto expected = numbers_of(sweep_on(Host{}));
  CHECK(numbers_of(sweep_on(Host{.threads = 3})) == expected);
  for (const int ranks : {1, 2, 3, 8}) {
    CAPTURE(ranks);
    std::atomic<int> right{0};
    Threads(ranks).run([&](Communicator& world) {
      right += numbers_of(sweep_on(Ranks<Host>{world, Host{.threads = 1 + world.rank() % 2}})) == expected;
    });
    CHECK(right == ranks);
  }
  std::atomic<int> right{0};
  Threads(5).run([&](Communicator& world) {
    const auto pair = world.split(world.rank() / 2);
    right += numbers_of(sweep_on(Ranks<Ranks<Host>>{world, Ranks<Host>{*pair}})) == expected;
  });
  CHECK(right == 5);
}

TEST_CASE("a sweep that is killed at random moments comes to the same end, on other ranks") {
  const auto expected = numbers_of(sweep_on(Host{}));
  const TemporaryFolder folder;
  unsigned ranks = 0;
  const auto go_on = [&](const auto& tell) {
    std::thread([tell] {
      for (;; std::this_thread::sleep_for(std::chrono::microseconds(300))) tell();
    }).detach();
    Threads(1 + static_cast<int>(ranks % 3)).run([&](Communicator& world) {
      sweep_on(Ranks<Host>{world}, halving(folder / "sweep"));
    });
  };
  unsigned attempt = 0;
  while (attempt < 500 && killed(attempt, 8, go_on)) ranks = ++attempt;
  CHECK(attempt > 3);
  CHECK(numbers_of(sweep_on(Host{}, halving(folder / "sweep"))) == expected);
  // More epochs may be asked for.
  auto more = halving(folder / "sweep");
  more.epochs = 24;
  CHECK(sweep_on(Host{}, more)[0].history.epochs.size() == 24);
}

TEST_CASE("a candidate whose path cannot be written is noticed before the first one is trained") {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder / "sweep.5");
  CHECK(has(error_of([&] { sweep_on(Host{}, halving(folder / "sweep")); }),
            "candidate 5 (model 1, optimizer 1): cannot write " + (folder / "sweep.5") + ": Is a directory"));
  CHECK_FALSE(std::filesystem::exists(folder / "sweep.0"));
}

TEST_CASE("a full disk and a damaged file are named, with the candidate") {
  const TemporaryFolder folder;
  const auto options = halving(folder / "sweep");
  full_disk = folder / "sweep.4";
  const std::string full = error_of([&] { sweep_on(Host{}, options); });
  full_disk.clear();
  CHECK(has(full, "candidate 4 (model 1, optimizer 0): "));
  CHECK(has(full, "No space left on device"));
  std::ofstream(folder / "sweep.2") << "nothing of the kind";
  CHECK(
      has(error_of([&] { sweep_on(Host{}, options); }), "candidate 2 (model 0, optimizer 2): " + (folder / "sweep.2")));

  sweep_on(Host{}, halving(folder / "other"));
  auto seed = halving(folder / "other");
  seed.seed = 5;
  CHECK(has(error_of([&] { sweep_on(Host{}, seed); }), "candidate 0 (model 0, optimizer 0): " + (folder / "other.0")));
}

TEST_CASE("impossible sweeps are refused") {
  const auto error = [](SweepOptions options, const std::vector<Adam>& optimizers = rates) {
    return error_of([&] { sweep<Small>(Host{}, data, CrossEntropyLoss{}, optimizers, options); });
  };
  CHECK(error(halving(), {}) == "sweep was given no optimizers; give it at least one");
  CHECK(error({.rounds = 0, .held_out = held_out}) == "sweep was given rounds = 0; give it 1 or more");
  CHECK(error({.epochs = 9, .rounds = 2, .factor = 1, .held_out = held_out}) ==
        "sweep was given factor = 1; give it 2 or more");
  CHECK(error({.epochs = 2, .rounds = 3, .held_out = held_out}) ==
        "sweep was given epochs = 2 for 3 rounds; give it at least one epoch for each");
  CHECK(
      has(error({.epochs = 1}), "sweep was given no rows to judge by; give it .held_out = k_folds(data.size(), 5)[0]"));
  CHECK(has(error({.epochs = 1, .held_out = {60, 20}}), "20"));
  CHECK(has(error(halving(), {{.lr = 0.1}, {.lr = -1}}), "optimizer 1: "));
}
