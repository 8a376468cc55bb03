// SPDX-License-Identifier: MIT
// A training loop of one's own: Trainer, micro-batches, and a learning rate that falls along a cosine.
#include <cmath>
#include <cstdio>
#include <numbers>
#include <sinter/sinter.hpp>

using namespace sinter;

struct Net : Sequential<Input<2>, Linear<32>, ReLU, Linear<32>, ReLU, Linear<2>> {};

int main() {
  constexpr std::size_t points = 2000, batch = 100, micro_batch = 25;
  constexpr int epochs = 60;
  const auto train = disc(points, 1), test = disc(points, 2);

  Network<Net> net{{.seed = 1, .initialization = Initialization::kaiming_uniform}};
  Trainer trainer{net, CrossEntropyLoss{}, SGD{.momentum = 0.9}};

  for (int epoch = 0; epoch < epochs; ++epoch) {
    trainer.optimizer().lr = 0.05 * (1 + std::cos(std::numbers::pi * epoch / epochs)) / 2;
    double loss = 0;
    for (std::size_t first = 0; first < points; first += batch) {
      // Four micro-batches make one step on the mean over all of their rows.
      for (std::size_t part = first; part < first + batch; part += micro_batch)
        loss += trainer.accumulate(train.inputs().slice(part, micro_batch), train.targets().subspan(part, micro_batch));
      if (!trainer.update()) {
        std::printf("%s\n", trainer.problem().c_str());
        return 1;
      }
    }
    if (epoch % 10 == 9)
      std::printf("epoch %d: rate %.4f, loss %.4f\n", epoch + 1, trainer.optimizer().lr, loss * micro_batch / points);
  }

  const auto [loss, accuracy] = evaluate(net, test, CrossEntropyLoss{});
  std::printf("%ld steps; test loss %.4f, accuracy %.1f %%\n", trainer.steps(), loss, 100 * accuracy);
  return accuracy > 0.97 ? 0 : 1;
}
