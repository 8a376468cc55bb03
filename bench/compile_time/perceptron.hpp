// SPDX-License-Identifier: MIT
#pragma once

#include <cstdio>
#include <sinter/sinter.hpp>

using namespace sinter;

struct Perceptron : Sequential<Input<2>, Linear<16>, Tanh, Linear<2>, LogSoftmax> {};

inline void train(Network<Perceptron>& net) {
  const auto rows = disc(1000, 1), test = disc(1000, 2);
  fit(net, rows, NLLLoss{}, SGD{.lr = 0.01, .momentum = 0.9}, {.batch_size = 50, .epochs = 25, .validation = &test},
      Progress{});
  std::printf("%f\n", evaluate(net, test, NLLLoss{}).loss);
}
