// SPDX-License-Identifier: MIT
// labels: threads large sanitized
// A rank is killed at each place where it exchanges something: the others end with the bits of an undisturbed training.
#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <filesystem>
#include <mutex>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "data/temporary_folder.hpp"
#include "ranks/mortal_threads.hpp"
#include "ranks/same_bits.hpp"
#include "sinter/data/read_ahead.hpp"
#include "sinter/io/fit_checkpoint.hpp"
#include "sinter/layers/activation.hpp"
#include "sinter/layers/batch_norm.hpp"
#include "sinter/layers/conv2d.hpp"
#include "sinter/layers/dropout.hpp"
#include "sinter/layers/flatten.hpp"
#include "sinter/layers/linear.hpp"
#include "sinter/layers/recurrent.hpp"
#include "sinter/loss/cross_entropy.hpp"
#include "sinter/optimizer/adam.hpp"
#include "sinter/optimizer/clip_grad.hpp"
#include "sinter/optimizer/sgd.hpp"
#include "sinter/ranks/slow_rank.hpp"
#include "sinter/report/training_log.hpp"
#include "sinter/train/evaluate_records.hpp"
#include "sinter/train/stop_on_interrupt.hpp"
#include "support/error_of.hpp"
#include "support/sanitized.hpp"

using namespace sinter::internal;
using namespace sinter_test;

namespace {

using Picture = Shape<1, 6, 6>;
struct Convolutional : Sequential<Input<1, 6, 6>, Conv2d<4, 3>, BatchNorm2d<>, ReLU, Flatten, Linear<20>, Dropout<0.2>,
                                  Tanh, Linear<4>> {};
struct Recurrent : Sequential<Input<4, 3>, GRU<6, FinalState>, Linear<2>> {};

const auto x = inputs<Picture>(70);
const auto labels = labels_for(70, 4);
const auto data = dataset(x, labels);

/// What a rank whose training was not ended must come to.
template <class Model, class Train>
class Expected {
 public:
  explicit Expected(const Train& train) : train_(train), losses_(train(alone_, nullptr)) {}

  /// Kills ranks, each at its event, and checks the others. Returns how many events each came to.
  std::vector<long> check(std::vector<long> killed_at) const {
    MortalThreads ranks(std::move(killed_at));
    std::mutex mutex;
    std::vector<bool> right;
    const auto errors = ranks.run([&](Communicator& world, int) {
      Network<Model, Ranks<Host>> net{{world, Host{.threads = 1}}, {.seed = 7}};
      const std::vector<double> losses = train_(net, &world);
      const std::lock_guard lock(mutex);
      right.push_back(same(all_numbers(net), all_numbers(alone_)) && same(losses, losses_));
    });
    for (const std::string& error : errors) CHECK_MESSAGE((error.empty() || error == "killed"), error);
    CHECK(std::ranges::count(right, true) == std::ranges::count(errors, ""));
    CHECK(!right.empty());
    return ranks.events();
  }
  /// Each of three ranks at each event.
  void check_each() const {
    const std::vector<long> events = check({MortalThreads::never, MortalThreads::never, MortalThreads::never});
    for (std::size_t rank = 0; rank < events.size(); ++rank)
      for (long event = 0; event < events[rank]; event += unless_sanitized(1, 7)) {
        CAPTURE(rank);
        CAPTURE(event);
        std::vector<long> killed_at(events.size(), MortalThreads::never);
        killed_at[rank] = event;
        check(killed_at);
      }
  }
  /// Several of five ranks, so that one is lost while others are left out.
  void check_several(unsigned times) const {
    const std::vector<long> events = check(std::vector<long>(5, MortalThreads::never));
    std::mt19937 random(3);
    for (unsigned time = 0; time < times; ++time) {
      CAPTURE(time);
      std::vector<long> killed_at(5, MortalThreads::never);
      for (std::size_t rank = 0; rank < 4; ++rank)  // after the first one is lost, the others come to fewer or more
        killed_at[(rank + time) % 5] = static_cast<long>(random() % static_cast<unsigned long>(events[0]));
      check(killed_at);
    }
  }

 private:
  const Train& train_;
  Network<Model> alone_{{.seed = 7}};
  std::vector<double> losses_;
};
template <class Model, class Train>
Expected<Model, Train> expected_of(const Train& train) {
  return Expected<Model, Train>(train);
}

std::vector<double> losses_of(const History& history) {
  std::vector<double> losses;
  for (const EpochRecord& record : history.epochs)
    for (const double loss : {record.train_loss, record.validation_loss, record.validation_accuracy})
      losses.push_back(loss);
  return losses;
}

/// With clipping, in which a step is not the engine's, and without.
const auto fits = [](auto& net, Communicator*) {
  std::vector<double> losses = losses_of(
      fit(net, data, CrossEntropyLoss{}, Adam{.lr = 0.01}, {.batch_size = 40, .epochs = 1, .validation = &data}));
  for (const double loss :
       losses_of(fit(net, data, CrossEntropyLoss{}, clip_grad_norm(SGD{.lr = 0.1, .momentum = 0.9}, 0.5),
                     {.batch_size = 40, .epochs = 1, .validation = &data}, [](const BatchInfo&) { return true; })))
    losses.push_back(loss);
  return losses;
};

/// Two batches for each update, of which the second one adds to the gradient of the first.
const auto accumulates = [](auto& net, Communicator*) {
  Trainer trainer{net, CrossEntropyLoss{}, Adam{.lr = 0.01}};
  std::vector<double> losses;
  for (int update = 0; update < 2; ++update) {
    for (const std::size_t first : {std::size_t{0}, std::size_t{35}})
      losses.push_back(static_cast<double>(trainer.accumulate(subset(data, first, 35))));
    trainer.update();
  }
  return losses;
};

const auto sequences = inputs<Shape<4, 3>>(20);
const auto ends = labels_for(20, 2);
const auto carries = [](auto& net, Communicator*) {
  Trainer trainer{net, CrossEntropyLoss{}, Adam{.lr = 0.01}};
  trainer.carry_state();
  std::vector<double> losses;
  for (int step = 0; step < 3; ++step) losses.push_back(static_cast<double>(trainer.step(sequences, ends)));
  return losses;
};

}  // namespace

TEST_CASE("Whatever a rank does when it is killed, the others have the bits of an undisturbed training") {
  expected_of<Convolutional>(fits).check_each();
  expected_of<Convolutional>(accumulates).check_each();
  expected_of<Recurrent>(carries).check_each();
}

TEST_CASE("Several ranks are killed, also while the others are leaving one out") {
  expected_of<Convolutional>(fits).check_several(60);
  expected_of<Convolutional>(accumulates).check_several(60);
}

TEST_CASE("A rank that reads a file is killed") {
  using Files = RecordFiles<float, Picture, std::uint8_t>;
  const TemporaryFolder folder;
  std::vector<char> bytes;
  for (std::size_t i = 0; i < 70; ++i) {
    bytes.push_back(static_cast<char>(labels[i]));
    const auto* const row = reinterpret_cast<const char*>(x.data() + i * Picture::size);
    bytes.insert(bytes.end(), row, row + Picture::size * sizeof(float));
  }
  write_bytes(folder / "records", bytes);
  const Files files({folder / "records"});
  const auto train = [&](auto& net, Communicator*) {
    return losses_of(
        fit(net, files, CrossEntropyLoss{}, Adam{.lr = 0.01}, {.batch_size = 40, .epochs = 2, .validation = &files}));
  };
  expected_of<Convolutional>(train).check_each();
}

TEST_CASE("If rank 0 is killed, the next one writes") {
  const auto train = [](auto& net, const TemporaryFolder& folder, auto&&... callbacks) {
    return fit(net, data, CrossEntropyLoss{}, Adam{.lr = 0.01}, {.batch_size = 40, .epochs = 3}, callbacks...,
               TrainingLog{.path = folder / "log.csv"}, Checkpoint{.path = folder / "run", .every = 4});
  };
  Network<Convolutional> alone{{.seed = 7}};
  train(alone, TemporaryFolder());
  long events = 1;
  for (long event = -1; event < events; event += unless_sanitized(3, 17)) {  // -1: never
    CAPTURE(event);
    const TemporaryFolder folder;
    MortalThreads ranks({event, MortalThreads::never, MortalThreads::never});
    std::atomic<int> right{0};
    const auto errors = ranks.run([&](Communicator& world, int) {
      Network<Convolutional, Ranks<Host>> net{{world, Host{.threads = 1}}, {.seed = 7}};
      SlowRank slow(world, 1.25, nullptr);
      train(net, folder, slow, StopOnInterrupt{});
      right += same(all_numbers(net), all_numbers(alone)) && std::ssize(slow.seconds()) >= 2;
    });
    if (event == -1) events = ranks.events()[0];
    CHECK(right == (errors[0].empty() ? 3 : 2));
    const std::string log = read_text(folder / "log.csv");
    CHECK(std::ranges::count(log, '\n') == 4);
    CHECK(has(log, "\n3,"));
    Network<Convolutional> resumed{{.seed = 7}};
    const History history = fit(resumed, data, CrossEntropyLoss{}, Adam{.lr = 0.01}, {.batch_size = 40, .epochs = 3},
                                Checkpoint{.path = folder / "run", .resume = true});
    CHECK(history.epochs.size() == 3);
    CHECK(same(all_numbers(resumed), all_numbers(alone)));
  }
}

namespace {
/// Is killed in its last call on the first rank.
struct LastCall {
  static constexpr bool on_rank_zero = true;
  int thread;
  std::atomic<int>& ended;
  int begun = 0;
  void on_begin(const TrainingInfo& info) { begun += info.epochs; }
  void on_end(const History&) {
    if (thread == 0) throw Killed{};
    ended += thread * begun;
  }
};
}  // namespace

TEST_CASE("Rank 0 is killed in the last call of a callback, which the next one makes") {
  std::atomic<int> ended{0};
  const auto errors = MortalThreads({-1, -1, -1}).run([&](Communicator& world, int thread) {
    Network<Convolutional, Ranks<Host>> net{{world, Host{.threads = 1}}, {.seed = 7}};
    fit(net, data, CrossEntropyLoss{}, Adam{}, {.batch_size = 40, .epochs = 5}, LastCall{thread, ended});
    CHECK(world.size() == 2);
  });
  CHECK(errors[0] == "killed");
  CHECK(ended == 5);  // by thread 1 alone
}

TEST_CASE("What cannot go on without a rank says so") {
  const std::string lost = "another rank was lost: its process ended, or cannot be reached. ";
  // Between forward and backward, which needs the activations that the lost rank had.
  auto errors = MortalThreads({-1, 20, -1}).run([&](Communicator& world, int) {
    Network<Convolutional, Ranks<Host>> net{{world, Host{.threads = 1}}, {.seed = 7}};
    Trainer trainer{net, SGD{.lr = 0.1}};
    const Tensor<float, Shape<4>> dy(70);
    for (int step = 0; step < 10; ++step) {
      trainer.forward(x);
      net.device().all(true);
      trainer.backward(dy);
      trainer.update();
    }
  });
  CHECK(errors[1] == "killed");
  for (const std::size_t other : {std::size_t{0}, std::size_t{2}}) CHECK(has(errors[other], lost));
  // An exchange of the program's own.
  errors = MortalThreads({-1, -1, 5}).run([&](Communicator& world, int) {
    for (int i = 0; i < 10; ++i) detail::gather(world, i);
  });
  for (const std::size_t other : {std::size_t{0}, std::size_t{1}}) CHECK(has(errors[other], lost));
}
