// SPDX-License-Identifier: MIT
// labels: learning optimised unsanitized
#include <doctest/doctest.h>

#include <cstdint>
#include <cstdlib>
#include <initializer_list>

#include "sinter/sinter.hpp"
#include "support/w1.hpp"

using namespace sinter;
using sinter_test::W1;

TEST_CASE("W1 on 5,000 digits comes within a point of PyTorch's mean of 97.18 %") {
  const Mnist mnist = read_mnist(SINTER_MNIST_SUBSET);
  double sum = 0;
  for (const std::uint64_t seed : std::initializer_list<std::uint64_t>{1, 2, 3}) {
    Network<W1> net{Host{.threads = 2}, {.seed = seed}};
    fit(net, mnist.train, NLLLoss{}, SGD{.lr = 0.01, .momentum = 0.9}, {.batch_size = 50, .epochs = 25});
    const double accuracy = evaluate(net, mnist.test, NLLLoss{}).accuracy;
    MESSAGE("seed ", seed, ": ", 100 * accuracy, " %");
    sum += accuracy;
  }
  CHECK(sum / 3 > 0.9618);
  CHECK(sum / 3 < 0.9999);
}
