// SPDX-License-Identifier: MIT
// labels: threads large sanitized
#include <doctest/doctest.h>

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <functional>
#include <sinter/io.hpp>
#include <string>
#include <vector>

#include "data/temporary_folder.hpp"
#include "sinter/sinter.hpp"
#include "support/error_of.hpp"
#include "support/full_disk.hpp"
#include "support/killed.hpp"
#include "support/training.hpp"

using namespace sinter::internal;
using namespace sinter_test;

namespace {

struct Net : Sequential<Input<3>, Linear<7>, BatchNorm1d<>, ReLU, Dropout<0.3>, Linear<4>, LogSoftmax> {};

const auto x = inputs<Shape<3>>(42);
const auto labels = labels_for(42, 4);
const auto data = dataset(x, labels);
const std::vector<Adam> rates = {{.lr = 0.01}, {.lr = 0.1}, {.lr = 0.003}, {.lr = 0.03}};

EnsembleFitOptions options(int epochs) { return {.batch_size = 7, .epochs = epochs, .held_out = k_folds(42, 6)}; }

/// What four members learn on two threads, and their losses.
struct Outcome {
  std::vector<std::vector<double>> members;
  friend bool operator==(const Outcome& a, const Outcome& b) {
    bool all = a.members.size() == b.members.size();
    for (std::size_t m = 0; all && m < a.members.size(); ++m) all = same(a.members[m], b.members[m]);
    return all;
  }
};
template <class... Callbacks>
Outcome run(int epochs, const Callbacks&... callbacks) {
  Ensemble<Net> nets(Host{.threads = 2}, 4, {.seed = 3});
  auto folds = options(epochs);
  folds.held_out.resize(4);
  const auto histories = fit(nets, data, NLLLoss{}, rates, folds, callbacks...);
  Outcome outcome;
  for (std::size_t m = 0; m < 4; ++m) {
    const auto& arena = nets[m].to_host();
    outcome.members.emplace_back(arena.data(), arena.data() + arena.size());
    for (const EpochRecord& epoch : histories[m].epochs) {
      outcome.members.back().push_back(epoch.train_loss);
      outcome.members.back().push_back(epoch.validation_loss);
    }
  }
  return outcome;
}

/// A checkpoint that tells of each batch.
struct Telling {
  Checkpoint checkpoint;
  std::function<void()> tell;
  struct OfMember : Checkpoint {
    std::function<void()> tell;
    void on_batch_end(const BatchInfo&) const { tell(); }
  };
  OfMember for_member(std::size_t member) const { return {checkpoint.for_member(member), tell}; }
};

}  // namespace

TEST_CASE("an ensemble that was stopped after some epochs continues bit for bit, each member from a file of its own") {
  const TemporaryFolder folder;
  const Checkpoint checkpoint{.path = folder / "run", .resume = true};
  const Outcome whole = run(5);
  CHECK_FALSE(run(2, checkpoint) == whole);
  for (const char* member : {"run.0", "run.1", "run.2", "run.3"}) CHECK(std::filesystem::exists(folder / member));
  // One that stopped earlier than the others catches up.
  std::filesystem::remove(folder / "run.2");
  CHECK(run(5, checkpoint) == whole);
  CHECK(run(5, checkpoint) == whole);
}

TEST_CASE("an ensemble that is killed at random moments comes to the same end") {
  const TemporaryFolder folder;
  const auto go_on = [&](const auto& tell) {
    run(12, Telling{{.path = folder / "run", .every = 3, .resume = true}, tell});
  };
  CHECK(killed_until_done(12, go_on) > 3);
  CHECK(run(12, Checkpoint{.path = folder / "run", .resume = true}) == run(12));
}

TEST_CASE("a member whose path cannot be written is noticed before the first one is trained") {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder / "run.2");
  const std::string error = error_of([&] { run(1, Checkpoint{.path = folder / "run"}); });
  CHECK(has(error, "member 2: cannot write " + (folder / "run.2") + ": Is a directory"));
  CHECK_FALSE(std::filesystem::exists(folder / "run.0"));
}

TEST_CASE("a member whose file cannot be written stops and says so, one whose file is damaged is named") {
  const TemporaryFolder folder;
  Ensemble<Net> nets(2);
  const Checkpoint checkpoint{.path = folder / "run", .resume = true};
  full_disk = folder / "run.1";
  const auto histories = fit(nets, data, NLLLoss{}, Adam{}, {.batch_size = 7, .epochs = 3}, checkpoint);
  full_disk.clear();
  CHECK(histories[0].stopped.empty());
  CHECK(histories[0].epochs.size() == 3);
  CHECK(has(histories[1].stopped, "No space left on device"));
  CHECK(histories[1].epochs.size() == 1);

  std::ofstream(folder / "run.1") << "nothing of the kind";
  const std::string error =
      error_of([&] { fit(nets, data, NLLLoss{}, Adam{}, {.batch_size = 7, .epochs = 3}, checkpoint); });
  CHECK(has(error, "member 1: " + (folder / "run.1")));
  CHECK(has(error_of([&] { fit(nets, data, NLLLoss{}, Adam{}, {}, Checkpoint{}); }), "Checkpoint was given no path"));
}
