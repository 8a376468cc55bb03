// SPDX-License-Identifier: MIT
// program WHAT FOLDER [SEED]: trains, and writes the weights and the history of each rank that is left to FOLDER/RANK. With a
// SEED, one or two ranks are killed, in the step and at the moment that follow from it.
#include <sinter/io.hpp>
#include <sinter/mpi.hpp>
#include <sinter/sinter.hpp>

#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "ranks/conformance.hpp"

using namespace sinter;

namespace {

using internal::detail::gather;

struct Net : Sequential<Input<1, 8, 8>, Conv2d<6, 3>, BatchNorm2d<>, ReLU, Flatten, Linear<40>, Dropout<0.2>, Tanh,
                        Linear<4>> {};
constexpr int rows = 90, epochs = 6, steps_of_epoch = 3;

auto rows_of(unsigned count) {
  std::pair<Tensor<float, Shape<1, 8, 8>>, std::vector<std::uint8_t>> all{Tensor<float, Shape<1, 8, 8>>(count), {}};
  auto& [x, labels] = all;
  for (std::size_t i = 0; i < x.values().size(); ++i) x.data()[i] = static_cast<float>(i * 2654435761u % 1000) / 1000;
  for (unsigned i = 0; i < count; ++i) labels.push_back(static_cast<std::uint8_t>(i * 7 % 4));
  return all;
}
const auto all = rows_of(rows);

/// Ends its process in a step, at any moment of it.
class Killer {
 public:
  Killer(const Communicator& world, unsigned seed) {
    if (seed == 0) return;
    std::mt19937 random(seed);
    for (unsigned left = 1 + seed % 3 / 2; left > 0; --left) {  // two in every third run
      const auto below = [&](unsigned limit) { return static_cast<int>(random() % limit); };
      const int rank = below(4), step = below(epochs * steps_of_epoch), delay = below(2000);
      if (world.rank() == rank) step_ = step, microseconds_ = delay;
    }
  }
  void operator()(const BatchInfo&) { begin_step(); }
  void begin_step() {
    if (step_-- != 0) return;
    std::fprintf(stderr, "killed\n");
    std::thread([pause = std::chrono::microseconds(microseconds_)] {
      const auto begin = std::chrono::steady_clock::now();
      while (std::chrono::steady_clock::now() - begin < pause) {
      }
      kill(getpid(), SIGKILL);
    }).detach();
  }

 private:
  int step_ = -1, microseconds_ = 0;
};

void write(const auto& net, const History& history, const std::string& path) {
  std::ofstream file(path, std::ios::binary);
  file.write(reinterpret_cast<const char*>(net.data()),
             static_cast<std::streamsize>(Network<Net>::Ops::storage_size * sizeof(float)));
  for (const EpochRecord& epoch : history.epochs)
    for (const double number : {epoch.train_loss, epoch.validation_loss, epoch.validation_accuracy})
      file.write(reinterpret_cast<const char*>(&number), sizeof(number));
}

History train(auto& net, const std::string& what, const std::string& folder, Killer& killer) {
  const auto& [x, labels] = all;
  const auto data = dataset(x, labels);
  const auto optimizer = clip_grad_norm(Adam{.lr = 0.01}, 1);
  if (what == "memory")
    return fit(net, data, CrossEntropyLoss{}, optimizer, {.batch_size = 40, .epochs = epochs, .validation = &data},
               killer, TrainingLog{folder + "/log.csv"}, Checkpoint{.path = folder + "/checkpoint", .every = 2});
  const RecordFiles<float, Shape<1, 8, 8>, std::uint8_t> files({folder + "/records"});
  if (what == "file")
    return fit(net, files, CrossEntropyLoss{}, Adam{.lr = 0.01},
               {.batch_size = 40, .epochs = epochs, .validation = &files}, killer);
  Trainer trainer{net, CrossEntropyLoss{}, AdamW{.lr = 0.01}};  // two batches for each update
  for (std::uint32_t epoch = 0; epoch < 2 * epochs; ++epoch) {
    for (const auto& batch : batches(files, {.batch_size = 40, .epoch = epoch}, trainer)) {
      if (epoch % 2 == 0) killer.begin_step();
      trainer.accumulate(batch);
      if (epoch % 2 != 0) trainer.update();
    }
  }
  return {};
}
void write_records(const std::string& path) {
  const auto& [x, labels] = all;
  std::ofstream file(path, std::ios::binary);
  for (std::size_t i = 0; i < rows; ++i) {
    file.put(static_cast<char>(labels[i]));
    file.write(reinterpret_cast<const char*>(x.data() + 64 * i), 64 * sizeof(float));
  }
}

/// What cannot go on without a rank.
void end_in(Communicator& world, const std::string& what) {
  if (what == "deal") {
    Ranks<Host>{world}.deal(8, [&](std::size_t) {
      if (world.rank() == 1) {
        std::ofstream("taken") << "by rank 1";
        kill(getpid(), SIGKILL);
      }
      while (!std::ifstream("taken")) std::this_thread::yield();
      return std::vector<std::byte>(3);
    });
  } else if (what == "part") {
    const auto pair = world.split(world.rank() / 2);
    if (world.rank() == 1) kill(getpid(), SIGKILL);
    for (;;) gather(*pair, 1);
  } else if (what == "own") {  // an exchange of the program's own
    if (world.rank() == 1) kill(getpid(), SIGKILL);
    for (;;) gather(world, 1);
  } else if (what == "backward") {
    Network<Net, Ranks<Host>> net{{world}, {.seed = 5}};
    Trainer trainer{net, SGD{.lr = 0.1}};
    trainer.forward(all.first);
    if (world.rank() == 1) kill(getpid(), SIGKILL);
    trainer.backward(Tensor<float, Shape<4>>(rows));
  } else if (what == "throw") {
    if (world.rank() == 1) throw std::runtime_error("no such file");
    for (;;) gather(world, 1);
  } else {
    throw std::runtime_error("no such test");
  }
}

}  // namespace

int main(int count, char** values) {
  const std::string what = count > 1 ? values[1] : "", folder = count > 2 ? values[2] : ".";
  if (what == "records") {
    write_records(folder + "/records");
    return 0;
  }
  const bool trains = what == "memory" || what == "file" || what == "accumulate";
  if (trains && count < 4) {
    Network<Net> net{{.seed = 5}};
    Killer none{Solo{}, 0};
    const History history = train(net, what, folder, none);
    write(net, history, folder + "/" + what);
    return 0;
  }
  Mpi world(count, values, std::chrono::seconds(30));
  const int number = world.rank();
  if (what == "conform") {
    sinter_test::check_conformance(world);
  } else if (trains) {
    Network<Net, Ranks<Host>> net{{world}, {.seed = 5}};
    Killer killer(world, static_cast<unsigned>(std::stoul(values[3])));
    const History history = train(net, what, folder, killer);
    write(net, history, folder + "/rank" + std::to_string(number));
    if (world.rank() == 0) std::printf("%d left\n", world.size());
  } else {
    end_in(world, what);
  }
}
