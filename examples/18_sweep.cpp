// SPDX-License-Identifier: MIT
// Which network, and which learning rate? Networks x rates over ranks: mpirun -n 4 18_sweep. Without MPI ranks are
// threads: 18_sweep --ranks 2. If it is stopped, it continues from its files (--path); the table is the same for any
// number of ranks.
#include <sinter/io.hpp>
#include <sinter/ranks.hpp>
#include <sinter/sinter.hpp>
#include <sinter/sweep.hpp>
#if defined(EXAMPLE_WITH_MPI)
#include <sinter/mpi.hpp>
#endif

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include "support/arguments.hpp"
#include "support/digits.hpp"

using namespace sinter;

// [models]
struct Narrow : Sequential<Input<1, 28, 28>, Flatten, Linear<16>, ReLU, Linear<10>> {};
struct Wide : Sequential<Input<1, 28, 28>, Flatten, Linear<64>, ReLU, Linear<10>> {};
struct Convolutional
    : Sequential<Input<1, 28, 28>, Conv2d<6, 5>, MaxPool2d<2>, ReLU, Flatten, Linear<32>, ReLU, Linear<10>> {};
// [/models]
constexpr const char* names[] = {"Narrow", "Wide", "Convolutional"};

struct Options {
  std::string data, path;
  int ranks, group, epochs, rounds;
};

std::vector<SGD> rates() {
  std::vector<SGD> all;
  for (const double lr : {0.001, 0.003, 0.01, 0.03, 0.1, 0.3}) all.push_back({.lr = lr, .momentum = 0.9});
  return all;
}

void print(const std::vector<SweepResult>& found, std::size_t lines) {
  std::printf("%-14s %6s %7s %7s   %s\n", "network", "rate", "rounds", "epochs", "held-out loss");
  for (std::size_t i = 0; i < std::min(lines, found.size()); ++i)
    std::printf("%-14s %6g %7d %7zu   %.6f\n", names[found[i].model], rates()[found[i].optimizer].lr, found[i].rounds,
                found[i].history.epochs.size(), found[i].loss);
}

template <class Model>
double test_accuracy(const SweepResult& best, const Mnist& digits) {
  Network<Model> net;
  load(net, best.checkpoint, {.partial = true});
  return score(net, digits.test);
}

void search(Communicator& world, const Mnist& digits, const Options& options) {
  const auto begin = std::chrono::steady_clock::now();
  // [sweep]
  const auto group = world.split(world.rank() / options.group);  // ranks that divide the batches of a network
  const Ranks<Ranks<Host>> device{world, Ranks<Host>{*group}};
  const auto found = sweep<Narrow, Wide, Convolutional>(device, digits.train, CrossEntropyLoss{}, rates(),
                                                        {.epochs = options.epochs,
                                                         .rounds = options.rounds,
                                                         .held_out = k_folds(digits.train.size(), 5)[0],
                                                         .path = options.path});
  // [/sweep]
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  if (world.rank() != 0) return;
  print(found, 8);
  const SweepResult& best = found[0];
  const double right = best.model == 0   ? test_accuracy<Narrow>(best, digits)
                       : best.model == 1 ? test_accuracy<Wide>(best, digits)
                                         : test_accuracy<Convolutional>(best, digits);
  std::printf("%zu networks on %d ranks in %.2f s; of the test images the best has %.2f %% right\n", found.size(),
              world.size(), seconds, 100 * right);
}

Options read(int count, char** values) {
  Arguments arguments(count, values);
  Options o;
  o.data = get_digits_folder(arguments);
#if defined(EXAMPLE_WITH_MPI)
  o.ranks = 0;
#else
  o.ranks = arguments.get("--ranks", 2, 1, "threads that are ranks");
#endif
  o.group = arguments.get("--group", 1, 1, "ranks that train one network together");
  o.epochs = arguments.get("--epochs", 9, 1, "of the networks that come through all rounds");
  o.rounds = arguments.get("--rounds", 3, 1, "after each but the last the best third goes on");
  o.path = arguments.get("--path", "", "of files, one for each network, from which a second run goes on");
  arguments.finish();
  check_digits_folder(arguments, o.data);
  return o;
}

int main(int count, char** values) try {
#if defined(EXAMPLE_WITH_MPI)
  Mpi world(count, values);
  const Options options = read(count, values);
  search(world, read_mnist(options.data), options);
#else
  const Options options = read(count, values);
  const Mnist digits = read_mnist(options.data);
  Threads(options.ranks).run([&](Communicator& world) { search(world, digits, options); });
#endif
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
