// SPDX-License-Identifier: MIT
// A first program.
#include <cstdio>
#include <sinter/sinter.hpp>

using namespace sinter;

struct Perceptron : Sequential<Input<2>, Linear<16>, Tanh, Linear<2>, LogSoftmax> {};

int main() {
  const auto train = disc(1000, 1), test = disc(1000, 2);
  Network<Perceptron> net;
  fit(net, train, NLLLoss{}, SGD{.lr = 0.01, .momentum = 0.9}, {.batch_size = 50, .epochs = 25, .validation = &test},
      Progress{});
  std::printf("%f\n", evaluate(net, test, NLLLoss{}).loss);
}
