// SPDX-License-Identifier: MIT
// What users compile with -Wall -Wextra -Werror and full optimisation: g++ looks further then, and warned falsely.
#include <cstdio>
#include <sinter/sinter.hpp>

using namespace sinter;

struct Net : Sequential<Input<1, 8, 8>, Conv2d<3, 3>, ReLU, Flatten, Linear<4>> {};
struct Perceptron : Sequential<Input<4>, Linear<128>, ReLU, Linear<4>> {};
struct Empty : Sequential<Input<4>, ReLU> {};  // without parameters

int main() {
  Network<Net> net{{.seed = 1}};
  for (const auto& parameter : net.parameters())
    if (parameter.name == "3.weight") std::printf("%d x %d\n", parameter.shape[0], parameter.shape[1]);

  Network<Empty> empty, other;
  const Tensor<float, Shape<4>> x(10), y(10);
  Trainer trainer{empty, MSELoss{}, SGD{.lr = 0.1, .momentum = 0.9}};
  trainer.step(x, y);
  fit(other, dataset(x, y), MSELoss{}, Adam{.lr = 0.1});
  Network<Perceptron> perceptron;
  fit(perceptron, dataset(x, y), MSELoss{}, Adam{.lr = 0.1});
}
