// SPDX-License-Identifier: MIT
// The smallest complete program: a network that learns exclusive or. Later examples use other devices.
#include <cstdio>
#include <sinter/sinter.hpp>
#include <vector>

#include "support/arguments.hpp"

using namespace sinter;

struct Xor : Sequential<Input<2>, Linear<8>, Tanh, Linear<2>> {};

int main(int count, char** values) {
  Arguments(count, values).finish();  // only --help
  const Tensor<float, Shape<2>> points{{0, 0, 0, 1, 1, 0, 1, 1}};
  const std::vector<int> labels{0, 1, 1, 0};

  Network<Xor> net{{.seed = 1}};
  const auto data = dataset(points, labels);
  const auto history = fit(net, data, CrossEntropyLoss{}, SGD{.lr = 0.5}, {.batch_size = 4, .epochs = 500});

  std::printf("loss %.4f after %zu epochs\n", history.epochs.back().train_loss, history.epochs.size());
  const auto scores = predict(net, data);
  for (std::size_t i = 0; i < data.size(); ++i)
    std::printf("%g xor %g = %d\n", points(i, 0), points(i, 1), scores(i, 1) > scores(i, 0));
  return score(net, data) == 1 ? 0 : 1;
}
