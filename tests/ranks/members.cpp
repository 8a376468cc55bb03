// SPDX-License-Identifier: MIT
// labels: threads large sanitized
#include <doctest/doctest.h>

#include <atomic>
#include <cmath>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "data/temporary_folder.hpp"
#include "ranks/same_bits.hpp"
#include "sinter/io/fit_checkpoint.hpp"
#include "sinter/layers/activation.hpp"
#include "sinter/layers/batch_norm.hpp"
#include "sinter/layers/dropout.hpp"
#include "sinter/layers/linear.hpp"
#include "sinter/loss/cross_entropy.hpp"
#include "sinter/optimizer/sgd.hpp"
#include "sinter/parallel/cross_validate.hpp"
#include "sinter/parallel/ensemble.hpp"
#include "sinter/ranks/solo.hpp"
#include "support/error_of.hpp"

using namespace sinter::internal;
using namespace sinter_test;

namespace {

struct Model : Sequential<Input<6>, Linear<12>, BatchNorm1d<>, ReLU, Dropout<0.2>, Linear<3>> {};

const auto x = inputs<Shape<6>>(70);
const auto labels = labels_for(70, 3);
const auto data = dataset(x, labels);
constexpr std::size_t members = 5;

/// What training came to, as numbers: all but the time it took.
void note(std::vector<double>& all, const History& history) {
  for (const EpochRecord& record : history.epochs)
    for (const double number : {static_cast<double>(record.epoch), record.train_loss, record.validation_loss,
                                record.validation_accuracy, record.learning_rate})
      if (!std::isnan(number)) all.push_back(number);
  for (const char letter : history.stopped) all.push_back(letter);
}

/// One of the members diverges.
template <class Device>
std::vector<double> train(const Device& device) {
  Ensemble<Model, Device> nets(device, members, {.seed = 3});
  std::vector<SGD> rates(members, SGD{.lr = 0.1, .momentum = 0.9});
  rates[1].lr = 3e38;
  const auto histories = fit(nets, data, CrossEntropyLoss{}, rates,
                             {.batch_size = 16, .epochs = 3, .held_out = k_folds(70, static_cast<int>(members))});
  REQUIRE(!histories[1].stopped.empty());
  std::vector<double> all;
  for (const History& history : histories) note(all, history);
  for (const auto& net : nets)
    for (const float number : all_numbers(net)) all.push_back(static_cast<double>(number));
  for (const Evaluation& one : evaluate(nets, data, CrossEntropyLoss{}))
    if (!std::isnan(one.loss)) all.push_back(one.loss), all.push_back(one.accuracy);
  const auto outputs = predict(nets, data);
  for (std::size_t m = 0; m < members; ++m)
    if (m != 1)
      for (const float number : outputs[m].values()) all.push_back(static_cast<double>(number));

  for (const CrossValidated& one :
       cross_validate<Model>(device, data, CrossEntropyLoss{}, std::vector<SGD>{{.lr = 0.01}, {.lr = 0.1}},
                             {.folds = 3, .batch_size = 16, .epochs = 2})) {
    all.push_back(one.loss.mean);
    all.push_back(one.accuracy.error);
    for (const History& history : one.folds) note(all, history);
  }
  return all;
}

}  // namespace

TEST_CASE("Members of an ensemble and folds are dealt to ranks, with the bits of one") {
  const std::vector<double> expected = train(Host{});
  CHECK(train(Ranks<Host>{}) == expected);
  for (const int ranks : {1, 2, 3, 8}) {
    CAPTURE(ranks);
    std::atomic<int> right{0};
    Threads(ranks).run([&](Communicator& world) {
      right += train(Ranks<Host>{world, Host{.threads = 1 + world.rank() % 2}}) == expected;
    });
    CHECK(right == ranks);
  }
}

TEST_CASE("Groups of ranks divide the batches of each member") {
  const std::vector<double> expected = train(Host{});
  for (const int size : {2, 3}) {
    CAPTURE(size);
    std::atomic<int> right{0};
    Threads(5).run([&](Communicator& world) {
      const auto group = world.split(world.rank() / size);
      right += train(Ranks<Ranks<Host>>{world, Ranks<Host>{*group, Host{}}}) == expected;
    });
    CHECK(right == 5);
  }
}

TEST_CASE("Each rank trains some members while all get them") {
  Threads(2).run([](Communicator& world) {
    std::vector<int> own;
    const auto all = Ranks<Host>{world}.deal(6, [&](std::size_t i) {
      own.push_back(static_cast<int>(i));
      detail::gather(world, 0);  // neither takes a second before the other has one
      return std::vector<std::byte>(i, std::byte(i));
    });
    CHECK(own.size() == 3);
    for (std::size_t i = 0; i < 6; ++i) CHECK(all[i] == std::vector<std::byte>(i, std::byte(i)));
  });
}

TEST_CASE("Members are resumed from their files on another number of ranks") {
  const auto folder = std::filesystem::temp_directory_path() / "sinter_ranks_members";
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  const auto weights = [&](const auto& device, int epochs, const Checkpoint& checkpoint) {
    Ensemble<Model, std::remove_cvref_t<decltype(device)>> nets(device, members, {.seed = 3});
    fit(nets, data, CrossEntropyLoss{}, SGD{.lr = 0.1}, {.batch_size = 16, .epochs = epochs}, checkpoint);
    std::vector<float> all;
    for (const auto& net : nets)
      for (const float number : all_numbers(net)) all.push_back(number);
    return all;
  };
  const auto expected = weights(Host{}, 5, {.path = folder / "alone"});
  const Checkpoint checkpoint{.path = folder / "dealt", .resume = true};
  Threads(3).run([&](Communicator& world) { weights(Ranks<Host>{world}, 2, checkpoint); });
  std::atomic<int> right{0};
  Threads(2).run([&](Communicator& world) { right += weights(Ranks<Host>{world}, 5, checkpoint) == expected; });
  CHECK(right == 2);
}

TEST_CASE("A path of a member that cannot be written is noticed before one is trained") {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder / "run.4");
  const std::string error = error_of([&] {
    Threads(2).run([&](Communicator& world) {
      Ensemble<Model, Ranks<Host>> nets(Ranks<Host>{world}, members);
      fit(nets, data, CrossEntropyLoss{}, SGD{.lr = 0.1}, {}, Checkpoint{.path = folder / "run"});
    });
  });
  CHECK(has(error, "member 4: cannot write " + (folder / "run.4") + ": Is a directory"));
  for (const char* member : {"run.0", "run.1"}) CHECK_FALSE(std::filesystem::exists(folder / member));
}

TEST_CASE("Ranks with different numbers of members get an error; a member that fails ends all") {
  CHECK(has(error_of([] {
              Threads(3).run([](Communicator& world) {
                Ensemble<Model, Ranks<Host>> nets{{world, Host{}}, world.rank() == 2 ? 4 : 5};
                evaluate(nets, data, CrossEntropyLoss{});
              });
            }),
            "rank 2 was given 4 networks to train or evaluate, and rank 0 5"));
  CHECK(has(error_of([] {
              Threads(3).run([](Communicator& world) {
                Ranks<Host>{world}.deal(9, [](std::size_t i) {
                  if (i == 4) fail("no such file");
                  return std::vector<std::byte>(1);
                });
              });
            }),
            "of 3 failed: no such file"));
}
