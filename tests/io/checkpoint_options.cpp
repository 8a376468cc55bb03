// SPDX-License-Identifier: MIT
// labels: large sanitized
#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <filesystem>
#include <sinter/io.hpp>
#include <string>
#include <vector>

#include "data/temporary_folder.hpp"
#include "sinter/sinter.hpp"
#include "support/error_of.hpp"

using namespace sinter::internal;

namespace {

struct Model : Sequential<Input<2>, Linear<2>> {};
const auto train = disc(40, 1);

/// Epochs of four batches.
template <class Loss, class Optimizer, class... Callbacks>
History run(int epochs, const Loss& loss, const Optimizer& optimizer, Callbacks&&... callbacks) {
  Network<Model> net{NetworkOptions{.seed = 1}};
  return fit(net, train, loss, optimizer, {.batch_size = 10, .epochs = epochs}, callbacks...);
}
std::vector<double> rates(const History& history) {
  std::vector<double> all;
  for (const EpochRecord& epoch : history.epochs) all.push_back(epoch.learning_rate);
  return all;
}
std::string text_of(const NamedOptions& options) {
  std::string text;
  for (const NamedOption& option : options) text += option.name + " = " + option.value + "\n";
  return text;
}
template <class Loss, class Optimizer>
std::string options_of(const Loss& loss, const Optimizer& optimizer) {
  Network<Model> net;
  return text_of(Trainer{net, loss, optimizer}.options());
}

}  // namespace

TEST_CASE("a fit with another rate than its checkpoint is refused, or continues with the program's") {
  const TemporaryFolder folder;
  const std::string path = folder / "run";
  const std::string log = folder / "log.csv";
  run(2, CrossEntropyLoss{}, SGD{.lr = 0.1}, Checkpoint{.path = path}, TrainingLog{.path = log});
  const std::string lines = read_text(log);
  CHECK(error_of([&] {
          run(4, CrossEntropyLoss{}, SGD{.lr = 0.001}, TrainingLog{.path = log},
              Checkpoint{.path = path, .resume = true});
        }) ==
        path +
            " is a checkpoint of a training with other options: SGD.lr was 0.1 and is now 0.001; give the program "
            "those of the checkpoint, or continue with the program's by Take::program");
  CHECK(read_text(log) == lines);
  const auto whole = read_text(path);
  CHECK(rates(run(4, CrossEntropyLoss{}, SGD{.lr = 0.001},
                  Checkpoint{.path = path, .resume = true, .take = Take::program})) ==
        std::vector<double>{0.1, 0.1, 0.001, 0.001});
  // From there on that is the rate of the checkpoint.
  CHECK(rates(run(5, CrossEntropyLoss{}, SGD{.lr = 0.001}, Checkpoint{.path = path, .resume = true})).back() == 0.001);
  write_file(path, whole);
  CHECK(rates(run(3, CrossEntropyLoss{}, SGD{.lr = 0.1}, Checkpoint{.path = path, .resume = true})).back() == 0.1);
}

TEST_CASE("all that differs is named: optimizer, schedule, loss and callbacks") {
  const TemporaryFolder folder;
  const std::string path = folder / "run";
  run(2, CrossEntropyLoss{}, SGD{.lr = 0.1}, EarlyStopping{.patience = 9}, ReduceLROnPlateau{},
      Checkpoint{.path = path});
  const WeightedCrossEntropyLoss<2> loss{.weight = {1, 3}};
  const auto optimizer = per_epoch(SGD{.lr = 0.1, .momentum = 0.9}, StepLR{.step_size = 2});
  const auto go_on = [&](Take take) {
    return run(4, loss, optimizer, EarlyStopping{.patience = 8}, ReduceLROnPlateau{.cooldown = 1},
               Checkpoint{.path = path, .resume = true, .take = take});
  };
  CHECK(has(error_of([&] { go_on(Take::same); }),
            ": SGD.momentum was 0 and is now 0.9, loss was CrossEntropyLoss and is now WeightedCrossEntropyLoss, "
            "EarlyStopping.patience was 9 and is now 8, "
            "ReduceLROnPlateau.cooldown was 0 and is now 1, "
            "SGD.schedule was not there and is now StepLR, SGD.schedule.step_size was not there and is now 2, "
            "SGD.schedule.gamma was not there and is now 0.1, SGD.schedule_steps was not there and is now 4, "
            "loss.weight was not there and is now [1, 3], loss.ignore_index was not there and is now -100; give "));
  CHECK(rates(go_on(Take::program)).size() == 4);
}

TEST_CASE("the rate that a callback has lowered stays where the program's is that of the beginning") {
  const TemporaryFolder folder;
  const std::string path = folder / "run";
  const auto go_on = [&](int epochs, const CrossEntropyLoss& loss, double lr) {
    // No epoch is better than the one before by so much: from the third on the rate is lowered.
    return rates(run(epochs, loss, SGD{.lr = lr}, ReduceLROnPlateau{.factor = 0.5, .patience = 0, .threshold = 0.9},
                     Checkpoint{.path = path, .resume = true, .take = Take::program}));
  };
  go_on(3, {}, 0.5);
  CHECK(go_on(4, {.label_smoothing = 0.1}, 0.5) == std::vector<double>{0.5, 0.5, 0.25, 0.125});
  CHECK(go_on(5, {.label_smoothing = 0.1}, 1).back() == 1);
}

TEST_CASE("drop_last is an option as the others, and the rows to train on are counted with those that it drops") {
  const TemporaryFolder folder;
  const std::string path = folder / "run";
  const auto resumed = [&](std::size_t rows, int epochs, bool drop_last, Take take, auto&&... callbacks) {
    Network<Model> net{NetworkOptions{.seed = 1}};
    const auto data = disc(rows, 1);
    return fit(net, data, CrossEntropyLoss{}, SGD{}, {.batch_size = 10, .epochs = epochs, .drop_last = drop_last},
               Checkpoint{.path = path, .resume = true, .take = take}, callbacks...);
  };
  resumed(44, 1, true, Take::same);
  CHECK(error_of([&] { resumed(44, 2, false, Take::same); }) ==
        path +
            " is a checkpoint of a training with other options: fit.drop_last was true and is now false; give the "
            "program those of the checkpoint, or continue with the program's by Take::program");
  // As many as an epoch took are not as many rows.
  for (const bool drop_last : {true, false})
    CHECK(error_of([&] { resumed(40, 2, drop_last, Take::program); }) ==
          "a checkpoint of a fit with rows of training data = 44 was given to one with 40; resume with the same data, "
          "options and callbacks");
  CHECK(resumed(44, 2, true, Take::same).samples_per_epoch == 40);
  CHECK(resumed(44, 3, false, Take::program).samples_per_epoch == 44);
  CHECK(has(error_of([&] { resumed(44, 4, true, Take::same); }), ": fit.drop_last was false and is now true;"));

  // Stopped after the last whole batch, an epoch that drops the rest is at its end.
  int left = 4;
  const auto stop = [&](const BatchInfo&) { return --left > 0; };
  CHECK(resumed(44, 4, false, Take::same, stop).epochs.size() == 3);
  const History history = resumed(44, 4, true, Take::program);
  REQUIRE(history.epochs.size() == 4);
  CHECK(std::isfinite(history.epochs.back().train_loss));
}

TEST_CASE("what a killed fit has left of its last line is removed when it continues") {
  const TemporaryFolder folder;
  const Checkpoint checkpoint{.path = folder / "run", .resume = true};
  for (const char* name : {"log.csv", "log.jsonl"}) {
    CAPTURE(name);
    const std::string log = folder / name;
    const auto go_on = [&](int epochs) {
      return run(epochs, CrossEntropyLoss{}, SGD{.lr = 0.1}, Checkpoint{checkpoint}, TrainingLog{.path = log});
    };
    go_on(2);
    const std::string two = read_text(log);
    // Killed as it wrote the line of the third epoch, and, on a disk that lost power, within that of the second.
    for (const std::string& left : {two + two.substr(two.size() - 9, 5), two.substr(0, two.size() - 4)}) {
      write_file(log, left);
      go_on(2);  // there is nothing more to do
      CHECK(read_text(log) == two);
      write_file(log, left);
      const auto before = read_text(checkpoint.path);
      const History history = go_on(3);
      CHECK(read_text(log).starts_with(two));
      if (log.ends_with(".csv")) CHECK(read_text(log) == history.csv_text());
      write_file(checkpoint.path, before);
    }
    std::filesystem::remove(folder / "run");
  }
}

TEST_CASE("an option that a callback of the user's keeps must be the same") {
  struct Mine {
    double limit;
    void on_end(const History&) const {}
    void keep_state(KeptNumbers& keep) const { keep.option("Mine.limit", limit); }
  };
  const TemporaryFolder folder;
  const Checkpoint checkpoint{.path = folder / "run", .resume = true};
  run(2, CrossEntropyLoss{}, SGD{}, Mine{1}, Checkpoint{checkpoint});
  CHECK(has(error_of([&] { run(3, CrossEntropyLoss{}, SGD{}, Mine{2}, Checkpoint{checkpoint}); }),
            "with other options: Mine.limit was 1 and is now 2;"));
  CHECK(run(3, CrossEntropyLoss{}, SGD{}, Mine{1}, Checkpoint{checkpoint}).epochs.size() == 3);
}

TEST_CASE("two callbacks of one kind have options of their own") {
  const TemporaryFolder folder;
  const std::string path = folder / "run";
  const auto resumed = [&](int epochs, int patience) {
    return run(epochs, CrossEntropyLoss{}, SGD{.lr = 0.1}, EarlyStopping{.patience = 30},
               EarlyStopping{.patience = patience, .least_gain = 0.01}, Checkpoint{.path = path, .resume = true});
  };
  resumed(2, 20);
  CHECK(resumed(3, 20).epochs.size() == 3);
  CHECK(error_of([&] { resumed(4, 10); }).find("EarlyStopping.patience (2) was 20 and is now 10") != std::string::npos);
}

TEST_CASE("a Trainer refuses other options, or continues with its own") {
  const TemporaryFolder folder;
  const std::string path = folder / "run";
  Network<Model> net;
  Trainer trainer{net, CrossEntropyLoss{}, Adam{.lr = 0.1}};
  trainer.step(subset(train, 0, 10));
  trainer.optimizer().lr = 0.05;  // on the way
  save_checkpoint(trainer, path);
  Trainer same{net, CrossEntropyLoss{}, Adam{.lr = 0.1}};
  resume(same, path);
  CHECK(same.optimizer().lr == 0.05);
  Trainer other{net, CrossEntropyLoss{}, Adam{.lr = 0.2, .beta1 = 0.8}};
  CHECK(has(error_of([&] { resume(other, path); }),
            ": Adam.lr was 0.1 and is now 0.2, Adam.beta1 was 0.9 and is now 0.8;"));
  CHECK(other.steps() == 0);
  CHECK(other.optimizer().lr == 0.2);
  resume(other, path, Take::program);
  CHECK(other.steps() == 1);
  CHECK(other.optimizer().lr == 0.2);
  CHECK(other.optimizer().beta1 == 0.8);
}

TEST_CASE("a checkpoint between accumulate and update is refused, and the file of before stays") {
  const TemporaryFolder folder;
  const std::string path = folder / "run";
  Network<Model> net;
  Trainer trainer{net, CrossEntropyLoss{}, SGD{}};
  save_checkpoint(trainer, path);
  const std::string before = read_text(path);
  trainer.accumulate(subset(train, 0, 10));
  CHECK(trainer.has_gradient());
  CHECK(error_of([&] { save_checkpoint(trainer, path); }) ==
        "a checkpoint was to be written between accumulate() and update(), and would lose the gradient that was "
        "accumulated; call update() or clear() first");
  CHECK(read_text(path) == before);
  trainer.update();
  save_checkpoint(trainer, path);
  trainer.accumulate(subset(train, 10, 10));
  trainer.clear();
  save_checkpoint(trainer, path);
  CHECK(read_text(path) != before);
}

TEST_CASE("options by name: optimizers, what is around them, schedules and losses") {
  CHECK(options_of(BCEWithLogitsLoss{.pos_weight = 2}, SGD{.lr = 0.5, .nesterov = false}) ==
        "SGD.lr = 0.5\nSGD.momentum = 0\nSGD.dampening = 0\nSGD.weight_decay = 0\nSGD.nesterov = false\n"
        "loss = BCEWithLogitsLoss\nloss.pos_weight = 2\n");
  CHECK(options_of(MSELoss{},
                   per_step(clip_grad_norm(Lion{}, 0.5), WarmUp{5, MultiStepLR<2>{.milestones = {10, 20}}, 0.25})) ==
        "Lion.lr = 1e-04\nLion.beta1 = 0.9\nLion.beta2 = 0.99\nLion.weight_decay = 0\nLion.clip_grad_norm = 0.5\n"
        "Lion.schedule = WarmUp\nLion.schedule.total_iters = 5\nLion.schedule.then = MultiStepLR\n"
        "Lion.schedule.then.milestones = [10, 20]\nLion.schedule.then.gamma = 0.1\n"
        "Lion.schedule.start_factor = 0.25\nLion.schedule_steps = 1\nloss = MSELoss\n");
  Network<Model> averaged;
  CHECK(options_of(WeightedCrossEntropyLoss<2>{.weight = {1, 0.5}},
                   clip_grad_value(moving_average(Adagrad{}, averaged, 0.5), 2)) ==
        "Adagrad.lr = 0.01\nAdagrad.lr_decay = 0\nAdagrad.weight_decay = 0\nAdagrad.initial_accumulator_value = 0\n"
        "Adagrad.epsilon = 1e-10\nAdagrad.moving_average = 0.5\nAdagrad.clip_grad_value = 2\n"
        "loss = WeightedCrossEntropyLoss\nloss.weight = [1, 0.5]\nloss.ignore_index = -100\n"
        "loss.label_smoothing = 0\n");

  struct Two : Sequential<Input<2>, Heads<Path<Linear<2>>, Path<Linear<1>>>> {};
  NamedOptions heads;
  detail::add_option(heads, "loss", head_losses<Two>(CrossEntropyLoss{}, 0.5 * HuberLoss{.delta = 3}));
  CHECK(text_of(heads) ==
        "loss = HeadLosses\nloss.head0 = CrossEntropyLoss\nloss.head0.label_smoothing = 0\nloss.head0.weight = 1\n"
        "loss.head1 = HuberLoss\nloss.head1.delta = 3\nloss.head1.weight = 0.5\n");
}
