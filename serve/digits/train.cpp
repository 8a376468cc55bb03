// SPDX-License-Identifier: MIT
// train MNIST WEIGHTS: trains on the folder MNIST, and writes the file WEIGHTS, unless it exists.
#include <cstdio>
#include <exception>
#include <filesystem>
#include <sinter/io.hpp>
#include <sinter/sinter.hpp>

#include "network.hpp"

using namespace sinter;

int main(int count, char** values) try {
  if (count != 3) return std::fprintf(stderr, "usage: train MNIST WEIGHTS\n"), 2;
  if (std::filesystem::exists(values[2])) return 0;
  const Mnist digits = read_mnist(values[1]);
  // A pen draws in other places than these.
  const auto varied = augment(digits.train, {.seed = 1}, RandomShift{.horizontal = 2, .vertical = 2});
  Network<Digits> net{{.seed = 1}};
  fit(net, varied, NLLLoss{}, Adam{.lr = 0.002}, {.batch_size = 50, .epochs = 10}, Progress{});
  save(net, values[2], {.normalize = digits.train.normalize()});
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
