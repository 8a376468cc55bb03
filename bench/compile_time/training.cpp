// SPDX-License-Identifier: MIT
// LeNet on MNIST.
#include <cstdio>
#include <sinter/io.hpp>

#include "network.hpp"

int main(int, char** values) {
  const Mnist digits = read_mnist(values[1]);
  Network<LeNet> net;
  fit(net, digits.train, NLLLoss{}, SGD{.lr = 0.01}, {.batch_size = 200, .epochs = 25, .validation = &digits.test},
      Progress{});
  std::printf("%f\n", evaluate(net, digits.test, NLLLoss{}).loss);
}
