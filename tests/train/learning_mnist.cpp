// SPDX-License-Identifier: MIT
// labels: learning large optimised
#include <doctest/doctest.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <initializer_list>

#include "sinter/sinter.hpp"
#include "support/w1.hpp"

using namespace sinter;
using sinter_test::W1;

TEST_CASE("W1 on the whole of MNIST: PyTorch's losses after 1 and 10 epochs are 0.453 and 0.088") {
  const char* folder = std::getenv("SINTER_MNIST_DIR");
  if (folder == nullptr) {
    std::printf("SKIPPED: set SINTER_MNIST_DIR to the folder of the four files of MNIST\n");
    std::exit(77);
  }
  const Mnist mnist = read_mnist(folder);
  Network<W1> net{Host{.threads = 2}, {.seed = 1}};
  const History history = fit(net, mnist.train, NLLLoss{}, SGD{.lr = 0.01, .momentum = 0.5},
                              {.batch_size = 200, .epochs = 10, .validation = &mnist.test});
  REQUIRE(history.epochs.size() == 10);
  for (const EpochRecord& epoch : history.epochs)
    MESSAGE("epoch ", epoch.epoch, ": ", epoch.validation_loss, ", ", 100 * epoch.validation_accuracy, " %, ",
            epoch.seconds, " s");
  CHECK(history.epochs[0].validation_loss < 0.50);
  CHECK(history.epochs[9].validation_loss < 0.10);
}
