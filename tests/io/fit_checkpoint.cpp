// SPDX-License-Identifier: MIT
// labels: large sanitized
#include <doctest/doctest.h>

#include <sys/stat.h>

#include <cmath>
#include <filesystem>
#include <fstream>
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

struct Net : Sequential<Input<4>, Linear<9>, BatchNorm1d<>, Tanh, Dropout<0.25>, Linear<3>> {};

const auto x = inputs<Shape<4>>(22);
const auto labels = labels_for(22, 3);
const auto train = dataset(x, labels);
const auto test_x = inputs<Shape<4>>(9, 1, 2);
const auto test_labels = labels_for(9, 3);
const auto test = dataset(test_x, test_labels);

/// Asks fit to stop after a number of batches.
struct StopAfter {
  int batches;
  bool on_batch_end(const BatchInfo&) { return --batches != 0; }
};

/// What a fit leaves, its times left out.
struct Outcome {
  std::vector<double> weights, numbers;
  std::string stopped;
};
template <class TestNet>
void note(Outcome& to, const TestNet& net, History history) {
  for (auto& record : history.epochs) record.seconds = 0;
  const auto& values = net.to_host();
  to.weights.assign(values.data(), values.data() + values.size());
  KeptNumbers keep;
  detail::keep_records(keep, history.epochs);
  detail::keep_records(keep, history.intervals);
  to.numbers.insert(to.numbers.end(), keep.numbers().begin(), keep.numbers().end());
  to.stopped = history.stopped;
}
bool operator==(const Outcome& a, const Outcome& b) {
  return same(a.weights, b.weights) && same(a.numbers, b.numbers) && a.stopped == b.stopped;
}

/// Epochs of 5 batches, with every callback that has a state.
template <class TestNet, class Optimizer, class... More>
Outcome run(TestNet net, const Optimizer& optimizer, int epochs, More&&... more) {
  RestoreBest best{net};
  EarlyStopping patience{.patience = 3};
  ReduceLROnPlateau plateau{.factor = 0.5, .patience = 0};
  const History history = fit(net, train, CrossEntropyLoss{}, optimizer,
                              {.batch_size = 5, .epochs = epochs, .validation = &test, .interval = 2}, best, patience,
                              plateau, std::forward<More>(more)...);
  Outcome outcome{{}, {best.loss(), double(best.epoch()), plateau.best, double(patience.waited)}, {}};
  note(outcome, net, history);
  return outcome;
}

template <class TestNet, class Optimizer>
void check_resumed(const TestNet& initial, const Optimizer& optimizer, long every) {
  constexpr int epochs = 6;
  const Outcome whole = run(initial, optimizer, epochs);
  for (const int batches : {1, 4, 5, 12}) {
    CAPTURE(batches);
    const TemporaryFolder folder;
    const Checkpoint checkpoint{.path = folder / "run", .every = every, .resume = true};
    const Outcome first = run(initial, optimizer, epochs, Checkpoint{checkpoint}, StopAfter{batches});
    CHECK_FALSE(first == whole);
    CHECK(run(initial, optimizer, epochs, Checkpoint{checkpoint}, StopAfter{0}) == whole);
    // There is nothing more to do.
    CHECK(run(initial, optimizer, epochs, Checkpoint{checkpoint}, StopAfter{0}) == whole);
  }
}

}  // namespace

TEST_CASE("a fit that was stopped continues as if it had not been, bit for bit") {
  check_resumed(Network<Net>{{.seed = 3}}, Adam{.lr = 0.05}, 0);
  check_resumed(Network<Net>{Host{.threads = 3}, {.seed = 3}}, SGD{.lr = 0.1, .momentum = 0.9}, 3);
  check_resumed(Network<Net, Host, Float64>{{.seed = 3}}, per_epoch(AdamW{}, StepLR{.step_size = 2}), 1);
  check_resumed(Network<Net, Reference>{{.seed = 3}}, clip_grad_norm(per_step(Lion{}, StepLR{.step_size = 4}), 0.1), 7);
}

TEST_CASE("a path that cannot be written is noticed when fit begins") {
  const TemporaryFolder folder;
  namespace fs = std::filesystem;
  fs::create_directory(folder / "directory");
  write_bytes(folder / "file", std::string("text"));
  fs::create_symlink(folder / "there", folder / "back");
  fs::create_symlink(folder / "back", folder / "there");
  fs::create_symlink(folder / "missing/run", folder / "dangling");
  fs::create_symlink(folder / "directory", folder / "to_directory");
  REQUIRE(mkfifo((folder / "fifo").c_str(), 0600) == 0);
  const std::string good = "; give a path in a folder that exists and may be written to";
  const auto refused = [&](const std::string& name, const std::string& why) {
    CAPTURE(name);
    Network<Net> net{{.seed = 3}};
    const auto before = weights(net);
    int batches = 0;
    struct Count {
      int& batches;
      void on_batch_end(const BatchInfo&) { ++batches; }
    };
    for (const bool resume : {false, true}) {
      const std::string error = error_of([&] {
        fit(net, train, CrossEntropyLoss{}, Adam{}, {.batch_size = 5, .epochs = 1},
            Checkpoint{.path = folder / name, .resume = resume}, Count{batches});
      });
      CHECK(has(error, why));
      CHECK(has(error, folder.path));
    }
    CHECK(batches == 0);
    CHECK(same(weights(net), before));
  };
  refused("missing/run", "cannot write " + (folder / "missing/run") + ": No such file or directory" + good);
  refused("directory", ": Is a directory" + good);
  refused("to_directory", ": Is a directory" + good);
  refused("file/run", ": Not a directory" + good);
  refused("dangling", ": No such file or directory" + good);
  refused("back", ": Too many levels of symbolic links; give the path of a file");
  refused("back/run", ": Too many levels of symbolic links" + good);
  refused("fifo", ": a FIFO, a socket or a device has this name; give the path of a file");
  refused(std::string(256, 'n'), ": File name too long" + good);
  std::vector<std::string> left;
  for (const auto& entry : fs::directory_iterator(folder.path)) left.push_back(entry.path().filename());
  CHECK(left.size() == 7);

  // Of an ensemble, the file of each member.
  fs::create_directory(folder / "run.1");
  Ensemble<Net> members(2);
  CHECK(has(error_of([&] {
              fit(members, train, CrossEntropyLoss{}, Adam{}, {.batch_size = 5, .epochs = 1},
                  Checkpoint{.path = folder / "run"});
            }),
            "cannot write " + (folder / "run.1") + ": Is a directory"));
  // A name of 255 letters is none too many.
  Network<Net> net{{.seed = 3}};
  const std::string longest = folder / std::string(255, 'n');
  CHECK(fit(net, train, CrossEntropyLoss{}, Adam{}, {.batch_size = 5, .epochs = 1}, Checkpoint{.path = longest})
            .stopped.empty());
  CHECK(fs::exists(longest));
}

TEST_CASE("a full disk ends a fit with its history, and the file of before is whole") {
  const Network<Net> initial{{.seed = 3}};
  for (const long every : {0L, 3L}) {
    CAPTURE(every);
    const TemporaryFolder folder;
    // From the 12th batch on, in the third epoch, there is no room for what is written to the folder.
    struct Fill {
      std::string path;
      int batches = 0;
      void on_batch_end(const BatchInfo&) {
        if (++batches == 12) full_disk = path;
      }
    };
    const Checkpoint checkpoint{.path = folder / "run", .every = every, .resume = true};
    Network<Net> net = initial;
    const History history = fit(net, train, CrossEntropyLoss{}, Adam{}, {.batch_size = 5, .epochs = 6},
                                Checkpoint{checkpoint}, Fill{folder / "run"});
    full_disk.clear();
    CHECK(history.stopped == "cannot write " + (folder / "run") +
                                 ": No space left on device; make room there, or give a path "
                                 "on another disk (after step " +
                                 (every == 0 ? "15)" : "12)"));
    CHECK(history.epochs.size() == (every == 0 ? 3 : 2));
    for (const auto& entry : std::filesystem::directory_iterator(folder.path)) CHECK(entry.path() == folder / "run");
    // The weights are those of that step, and the file is that of the step before, from which it continues.
    CHECK_FALSE(same(weights(net), weights(initial)));
    const History rest =
        fit(net, train, CrossEntropyLoss{}, Adam{}, {.batch_size = 5, .epochs = 6}, Checkpoint{checkpoint});
    CHECK(rest.stopped.empty());
    CHECK(rest.epochs.size() == 6);
    Network<Net> straight = initial;
    fit(straight, train, CrossEntropyLoss{}, Adam{}, {.batch_size = 5, .epochs = 6});
    CHECK(same(weights(net), weights(straight)));
  }
}

TEST_CASE("the network of an average is that of a fit in one go") {
  const TemporaryFolder folder;
  const auto average_of = [&](auto&&... callbacks) {
    Network<Net> net{NetworkOptions{.seed = 3}}, averaged;
    fit(net, train, CrossEntropyLoss{}, moving_average(SGD{.lr = 0.1}, averaged), {.batch_size = 5, .epochs = 3},
        callbacks...);
    return weights(averaged);
  };
  const auto whole = average_of();
  const auto checkpoint = [&] { return Checkpoint{.path = folder / "run", .resume = true}; };
  average_of(checkpoint(), StopAfter{7});
  CHECK(same(average_of(checkpoint()), whole));
  CHECK(same(average_of(checkpoint()), whole));
}

TEST_CASE("a fit may be given more epochs than it had") {
  const TemporaryFolder folder;
  const auto checkpoint = [&] { return Checkpoint{.path = folder / "run", .resume = true}; };
  const Network<Net> initial{{.seed = 3}};
  const auto epochs = [&](int count, auto&&... callbacks) {
    Network<Net> net = initial;
    Outcome outcome;
    note(outcome, net, fit(net, train, CrossEntropyLoss{}, Adam{}, {.batch_size = 5, .epochs = count}, callbacks...));
    return outcome;
  };
  epochs(2, checkpoint());
  CHECK(epochs(5, checkpoint()) == epochs(5));
  // Without .resume it starts anew.
  CHECK(epochs(3, Checkpoint{.path = folder / "run"}) == epochs(3));
}

TEST_CASE("the log of a fit that continues has its earlier epochs") {
  const TemporaryFolder folder;
  const auto part = [&](StopAfter stop) {
    Network<Net> net{{.seed = 3}};
    return fit(net, train, CrossEntropyLoss{}, Adam{}, {.batch_size = 5, .epochs = 4}, stop,
               TrainingLog{.path = folder / "run.csv"}, Checkpoint{.path = folder / "run", .resume = true});
  };
  CHECK(part({12}).epochs.size() == 2);
  CHECK(read_text(folder / "run.csv") == part({1}).csv_text());  // stopped in its first epoch
  const History history = part({0});
  CHECK(history.epochs.size() == 4);
  CHECK(read_text(folder / "run.csv") == history.csv_text());
  CHECK(part({0}).epochs.size() == 4);  // nothing is left to do
  CHECK(read_text(folder / "run.csv") == history.csv_text());
}

TEST_CASE("a damaged checkpoint is known before its numbers are taken") {
  const TemporaryFolder folder;
  const std::string path = folder / "run";
  Network<Net> net{{.seed = 3}};
  fit(net, train, CrossEntropyLoss{}, Adam{}, {.batch_size = 5, .epochs = 2}, Checkpoint{.path = path});
  const std::string whole = read_text(path);
  for (const std::size_t behind : {std::size_t{1}, std::size_t{8}, whole.size() / 4}) {
    std::string damaged = whole;
    damaged[damaged.size() - behind] ^= 64;
    std::ofstream(path, std::ios::binary) << damaged;
    CHECK(has(error_of([&] {
                fit(net, train, CrossEntropyLoss{}, Adam{}, {.batch_size = 5, .epochs = 4},
                    Checkpoint{.path = path, .resume = true});
              }),
              "wrong checksum"));
  }
}

TEST_CASE("numbers that cannot be are refused") {
  const auto taken = [](double value, auto number) {
    KeptNumbers keep({value});
    return error_of([&] { keep(number); });
  };
  int whole = 0;
  KeptNumbers({7})(whole);
  CHECK(whole == 7);
  for (const double value : {-1.0, 1e300, std::nan("")}) CHECK(has(taken(value, std::size_t{}), "kept other numbers"));
  CHECK(has(taken(3e9, 0), "kept other numbers"));
}

TEST_CASE("the numbers of an epoch have the places that they had when one more was kept") {
  const double none = EpochRecord::not_counted;
  KeptNumbers keep({1, 7, 0.5, none, 0.25, 0.75, 1.5, 0.01});
  std::vector<EpochRecord> records;
  detail::keep_records(keep, records);
  keep.end();
  const EpochRecord& record = records.at(0);
  CHECK(record.epoch == 7);
  CHECK(record.train_loss == 0.5);
  CHECK(record.validation_loss == 0.25);
  CHECK(record.validation_accuracy == 0.75);
  CHECK(record.seconds == 1.5);
  CHECK(record.learning_rate == 0.01);
  KeptNumbers again;
  detail::keep_records(again, records);
  CHECK(same(again.numbers(), keep.numbers()));
}

TEST_CASE("a fit refuses a checkpoint of another one, and leaves the network as it was") {
  const TemporaryFolder folder;
  const std::string path = folder / "run";
  const Checkpoint checkpoint{.path = path, .resume = true};
  Network<Net> net{{.seed = 3}};
  fit(net, train, CrossEntropyLoss{}, Adam{}, {.batch_size = 5, .epochs = 2}, Checkpoint{checkpoint});
  const auto refusal = [&](auto options, auto&&... callbacks) {
    return error_of([&] { fit(net, train, CrossEntropyLoss{}, Adam{}, options, callbacks...); });
  };
  using Options = FitOptions<std::remove_const_t<decltype(train)>>;
  CHECK(refusal(Options{.batch_size = 6, .epochs = 4}, Checkpoint{checkpoint}) ==
        "a checkpoint of a fit with batch_size = 5 was given to one with 6; resume with the same data, options and "
        "callbacks");
  CHECK(has(refusal(Options{.batch_size = 5, .epochs = 4, .shuffle = false}, Checkpoint{checkpoint}),
            "with shuffle = 1 was given to one with 0"));
  const std::string other_numbers = "a checkpoint of a fit that kept other numbers was given to this one";
  const Options longer{.batch_size = 5, .epochs = 4};
  CHECK(has(refusal(longer, Checkpoint{checkpoint}, EarlyStopping{}), other_numbers));
  fit(net, train, CrossEntropyLoss{}, Adam{}, {.batch_size = 5, .epochs = 2}, Checkpoint{.path = folder / "patient"},
      EarlyStopping{});
  const Checkpoint patient{.path = folder / "patient", .resume = true};
  CHECK(has(refusal(longer, Checkpoint{patient}, ReduceLROnPlateau{}), other_numbers));
  CHECK(has(refusal(longer, Checkpoint{patient}), other_numbers));
  CHECK(has(refusal(Options{.batch_size = 5}, Checkpoint{}), "Checkpoint was given no path"));
  CHECK(has(refusal(Options{.batch_size = 5}, Checkpoint{.path = path, .every = -1}), "every = -1; give it 0 or more"));
  CHECK(has(refusal(Options{.batch_size = 5}, Checkpoint{.path = folder.path, .resume = true}), folder.path));
  REQUIRE(mkfifo((folder / "fifo").c_str(), 0600) == 0);  // where reading would wait for a writer
  CHECK(has(refusal(Options{.batch_size = 5}, Checkpoint{.path = folder / "fifo", .resume = true}),
            "a FIFO, a socket or a device has this name"));
  CHECK(has(refusal(Options{.batch_size = 5}, Checkpoint{.path = path + "/run", .resume = true}), "Not a directory"));

  const auto before = weights(net);
  Network<Net> other{{.seed = 4}};
  CHECK(has(error_of([&] {
              fit(other, train, CrossEntropyLoss{}, Adam{}, {.batch_size = 5, .epochs = 4}, Checkpoint{checkpoint});
            }),
            "is a checkpoint of a network with the seed 3, and this one has 4"));
  CHECK(same(weights(other), weights(Network<Net>{{.seed = 4}})));

  // A Trainer takes its part of it; fit wants more than a Trainer has.
  Trainer trainer{net, CrossEntropyLoss{}, Adam{}};
  resume(trainer, folder / "patient");
  CHECK(trainer.steps() == 10);
  save_checkpoint(trainer, path);
  CHECK(has(refusal(Options{.batch_size = 5, .epochs = 4}, Checkpoint{checkpoint}), "is not a checkpoint of a fit"));
  CHECK(same(weights(net), before));
}

TEST_CASE("a fit that is killed at random moments comes to the same end") {
  const TemporaryFolder folder;
  const std::string path = folder / "run", result = folder / "result";
  const Network<Net> initial{{.seed = 3}};
  const FitOptions<std::remove_const_t<decltype(train)>> options{.batch_size = 5, .epochs = 40, .validation = &test};
  const auto fitted = [&](auto&&... callbacks) {
    Network<Net> net = initial;
    fit(net, train, CrossEntropyLoss{}, Adam{.lr = 0.01}, options, RestoreBest{net}, callbacks...);
    return net;
  };
  const auto go_on = [&](auto tell) {
    struct Tell {
      decltype(tell) step_done;
      void on_batch_end(const BatchInfo&) { step_done(); }
    };
    save(fitted(Checkpoint{.path = path, .every = 1, .resume = true}, Tell{tell}), result);
  };
  CHECK(killed_until_done(3, go_on) > 5);
  struct Nothing {
    void on_batch_end(const BatchInfo&) {}
  };
  Network<Net> survived;
  load(survived, result);
  CHECK(same(weights(survived), weights(fitted(Nothing{}, Nothing{}))));
}
