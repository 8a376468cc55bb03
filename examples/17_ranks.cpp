// SPDX-License-Identifier: MIT
// A network that several processes train: mpirun -n 2 17_ranks. Without MPI ranks are threads: 17_ranks --ranks 2.
// Both print the time of a step and a sum of the weights' bits, which is the same for any number of ranks.
#include <sinter/ranks.hpp>
#include <sinter/sinter.hpp>
#if defined(EXAMPLE_WITH_MPI)
#include <sinter/mpi.hpp>
#endif

#include <bit>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <span>
#include <string>

#include "support/arguments.hpp"
#include "support/digits.hpp"

using namespace sinter;

struct LeNet : Sequential<Input<1, 28, 28>, Conv2d<10, 5>, MaxPool2d<2>, ReLU, Conv2d<20, 5>, Dropout2d<0.5>,
                          MaxPool2d<2>, ReLU, Flatten, Linear<50>, ReLU, Dropout<0.5>, Linear<10>, LogSoftmax> {};

struct Options {
  std::string data;
  int ranks, epochs, threads;
  std::size_t batch_size;
};

/// FNV-1a of all weights.
std::uint64_t bits_of(std::span<const float> weights) {
  std::uint64_t sum = 0xcbf29ce484222325u;
  for (const float weight : weights) sum = (sum ^ std::bit_cast<std::uint32_t>(weight)) * 0x100000001b3u;
  return sum;
}

// [train]
void train(Communicator& world, const Mnist& digits, const Options& options) {
  Network<LeNet, Ranks<Host>> net{{world, Host{.threads = options.threads}}, {.seed = 1}};
  const auto begin = std::chrono::steady_clock::now();
  fit(net, digits.train, NLLLoss{}, SGD{.lr = 0.01, .momentum = 0.9},
      {.batch_size = options.batch_size, .epochs = options.epochs}, Progress{});  // rank 0 prints
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  const double right = score(net, digits.test);
  if (world.rank() != 0) return;
  const std::size_t steps = (digits.train.size() + options.batch_size - 1) / options.batch_size;
  std::printf("ranks  threads of each  ms for a step  right, %%  weights\n%5d  %15d  %13.2f  %8.2f  %016llx\n",
              world.size(), options.threads, 1000 * seconds / static_cast<double>(steps) / options.epochs, 100 * right,
              static_cast<unsigned long long>(bits_of(net.to_host())));
}
// [/train]

Options read(int count, char** values) {
  Arguments arguments(count, values);
  Options o;
  o.data = get_digits_folder(arguments);
#if defined(EXAMPLE_WITH_MPI)
  o.ranks = 0;
#else
  o.ranks = arguments.get("--ranks", 2, 1, "threads that are ranks");
#endif
  o.threads = arguments.get("--threads", 1, 1, "threads of each rank");
  o.epochs = arguments.get("--epochs", 3, 1, "times through the training images");
  o.batch_size = arguments.get("--batch-size", std::size_t{200}, std::size_t{1}, "images for each step");
  arguments.finish();
  check_digits_folder(arguments, o.data);
  return o;
}

int main(int count, char** values) try {
#if defined(EXAMPLE_WITH_MPI)
  Mpi world(count, values);
  const Options options = read(count, values);
  train(world, read_mnist(options.data), options);
#else
  const Options options = read(count, values);
  const Mnist digits = read_mnist(options.data);
  Threads(options.ranks).run([&](Communicator& world) { train(world, digits, options); });
#endif
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
