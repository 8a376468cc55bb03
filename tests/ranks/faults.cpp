// SPDX-License-Identifier: MIT
// labels: threads large sanitized
#include <doctest/doctest.h>
#include <signal.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "data/temporary_folder.hpp"
#include "ranks/same_bits.hpp"
#include "sinter/io/fit_checkpoint.hpp"
#include "sinter/layers/activation.hpp"
#include "sinter/layers/batch_norm.hpp"
#include "sinter/layers/linear.hpp"
#include "sinter/loss/cross_entropy.hpp"
#include "sinter/optimizer/adam.hpp"
#include "sinter/ranks/slow_rank.hpp"
#include "sinter/train/stop_on_interrupt.hpp"
#include "support/error_of.hpp"
#include "support/full_disk.hpp"

using namespace sinter::internal;
using namespace sinter_test;

namespace {

struct Model : Sequential<Input<6>, Linear<20>, BatchNorm1d<>, ReLU, Linear<3>> {};

const auto x = inputs<Shape<6>>(70);
const auto labels = labels_for(70, 3);
const auto data = dataset(x, labels);

template <class... Callbacks>
History train(auto& net, int epochs, Callbacks&&... callbacks) {
  return fit(net, data, CrossEntropyLoss{}, Adam{.lr = 0.01}, {.batch_size = 16, .epochs = epochs}, callbacks...);
}

/// What goes wrong where work runs on four ranks, within seconds.
std::string error_in_time(const std::function<void(Communicator&, Network<Model, Ranks<Host>>&)>& work) {
  const auto begin = std::chrono::steady_clock::now();
  const std::string text = error_of([&] {
    Threads(4, std::chrono::seconds(2)).run([&](Communicator& world) {
      Network<Model, Ranks<Host>> net{{world, Host{}}, {.seed = 3}};
      work(world, net);
    });
  });
  CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(10));
  return text;
}

}  // namespace

TEST_CASE("SIGTERM and SIGUSR1 end all ranks after the step, and other ranks resume from its checkpoint") {
  Network<Model> alone{{.seed = 3}};
  train(alone, 6);
  for (const int number : {SIGTERM, SIGUSR1}) {
    const TemporaryFolder folder;
    const auto of_doctest = signal(number, SIG_DFL);
    std::atomic<int> stopped{0};
    Threads(3).run([&](Communicator& world) {
      Network<Model, Ranks<Host>> net{{world, Host{}}, {.seed = 3}};
      StopOnInterrupt stop;
      const History history = train(
          net, 6,
          [&](const BatchInfo& info) {
            if (world.rank() == 1 && info.epoch == 3 && info.samples_done == 32) raise(number);
          },
          stop, Checkpoint{.path = folder / "run", .every = 1000});
      stopped += has(history.stopped, number == SIGTERM ? "ended by SIGTERM" : "ended by SIGUSR1") ||
                 history.stopped == "another rank asked for it";
    });
    CHECK(stopped == 3);
    signal(number, of_doctest);
    for (const int ranks : {2, 5}) {
      CAPTURE(ranks);
      std::filesystem::copy_file(folder / "run", folder / std::to_string(ranks));
      std::atomic<int> right{0};
      Threads(ranks).run([&](Communicator& world) {
        Network<Model, Ranks<Host>> net{{world, Host{}}, {.seed = 3}};
        train(net, 6, StopOnInterrupt{},
              Checkpoint{.path = folder / std::to_string(ranks), .every = 1000, .resume = true});
        right += same(all_numbers(net), all_numbers(alone));
      });
      CHECK(right == ranks);
    }
  }
}

TEST_CASE("Whatever goes wrong on one rank ends all in time, with its words") {
  // In the middle of an epoch, while the others are at their batch.
  CHECK(error_in_time([](Communicator& world, auto& net) {
          train(net, 3, [&](const BatchInfo& info) {
            if (world.rank() == 2 && info.epoch == 2 && info.samples_done == 32)
              throw std::runtime_error("a lost cable");
          });
        }) == "rank 2 of 4 failed: a lost cable");
  // A file that all resume from, and that is none.
  const TemporaryFolder folder;
  std::ofstream(folder / "run") << "nothing of the kind";
  CHECK(has(error_in_time(
                [&](Communicator&, auto& net) { train(net, 2, Checkpoint{.path = folder / "run", .resume = true}); }),
            folder / "run"));
  // One that leaves before the others have begun.
  CHECK(has(error_in_time([](Communicator& world, auto& net) {
              if (world.rank() != 3) train(net, 1);
            }),
            "waited for rank 3, which has ended"));
  // One that is asleep: the others do not wait for it for ever.
  CHECK(has(error_in_time([](Communicator& world, auto& net) {
              if (world.rank() == 1) std::this_thread::sleep_for(std::chrono::seconds(4));
              train(net, 1);
            }),
            "waited for rank 1 for 2 s"));
  // In a thread of a rank, in work that was dealt, while the others are through.
  CHECK(has(error_in_time([](Communicator& world, auto&) {
              Ranks<Host>{world, Host{.threads = 2}}.deal(8, [](std::size_t i) {
                if (i == 7) throw std::runtime_error("the last one is bad");
                return std::vector<std::byte>(i);
              });
            }),
            "failed: the last one is bad"));
  // Between two ranks of a part, while the others wait for the part.
  CHECK(has(error_in_time([](Communicator& world, auto&) {
              const auto pair = world.split(world.rank() / 2);
              if (world.rank() == 1) throw std::runtime_error("half of a pair");
              detail::gather(*pair, 1);
              detail::gather(world, 1);
            }),
            "rank 1 of 4 failed: half of a pair"));
}

TEST_CASE("A full disk of rank 0 ends all ranks with a history") {
  const TemporaryFolder folder;
  full_disk = folder / "run";
  std::atomic<int> right{0};
  Threads(3).run([&](Communicator& world) {
    Network<Model, Ranks<Host>> net{{world, Host{}}, {.seed = 3}};
    const History history = train(net, 4, Checkpoint{.path = folder / "run"});
    right += history.epochs.size() == 1 &&
             has(history.stopped, world.rank() == 0 ? "No space left on device" : "another rank asked for it");
  });
  full_disk.clear();
  CHECK(right == 3);
}

TEST_CASE("A rank that computes for longer than the others is named after each epoch") {
  const TemporaryFolder folder;
  std::FILE* const file = std::fopen((folder / "lines").c_str(), "w");
  std::atomic<int> right{0};
  Threads(3).run([&](Communicator& world) {
    Network<Model, Ranks<Host>> net{{world, Host{}}, {.seed = 3}};
    SlowRank slow(world, 3, file);
    train(
        net, 2,
        [&](const BatchInfo& info) {
          if (world.rank() == 2 && info.epoch == 1) std::this_thread::sleep_for(std::chrono::milliseconds(100));
        },
        slow,
        [&](const EpochRecord& record, const History&) {
          if (record.epoch == 1) right += slow.slowest() == 2 && slow.seconds().size() == 3 && slow.seconds()[2] > 0.5;
        });
  });
  std::fclose(file);
  CHECK(right == 3);
  const std::string lines = read_text(folder / "lines");
  CHECK(has(lines, "epoch 1 waited for rank 2 on "));
  CHECK(has(lines, "which computed for 0."));
}
