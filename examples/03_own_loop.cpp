// SPDX-License-Identifier: MIT
// A training loop of your own: Trainer, micro-batches, and a learning rate that follows a cosine.
#include <chrono>
#include <cmath>
#include <cstdio>
#include <exception>
#include <numbers>
#include <string>

#include "support/arguments.hpp"
#include "support/devices.hpp"

using namespace sinter;

struct Net : Sequential<Input<2>, Linear<32>, ReLU, Linear<32>, ReLU, Linear<2>> {};

template <class Device>
DeviceRun run(const Device& device, int epochs) {
  constexpr std::size_t points = 2000, batch = 100, micro_batch = 25;
  const auto train = disc(points, 1), test = disc(points, 2);
  const auto begin = std::chrono::steady_clock::now();

  Network<Net, Device> net{device, {.seed = 1, .initialization = Initialization::kaiming_uniform}};
  Trainer trainer{net, CrossEntropyLoss{}, SGD{.momentum = 0.9}};

  for (int epoch = 0; epoch < epochs; ++epoch) {
    trainer.optimizer().lr = 0.05 * (1 + std::cos(std::numbers::pi * epoch / epochs)) / 2;
    double loss = 0;
    for (std::size_t first = 0; first < points; first += batch) {
      // Four micro-batches make one step on the mean over all of their rows.
      for (std::size_t part = first; part < first + batch; part += micro_batch)
        loss += static_cast<double>(
            trainer.accumulate(train.inputs().slice(part, micro_batch), train.targets().subspan(part, micro_batch)));
      if (!trainer.update()) {
        std::printf("%s\n", trainer.problem().c_str());
        return {0, false};
      }
    }
    if (epoch % 10 == 9)
      std::printf("epoch %d: rate %.4f, loss %.4f\n", epoch + 1, trainer.optimizer().lr, loss * micro_batch / points);
  }

  const auto [loss, accuracy] = evaluate(net, test, CrossEntropyLoss{});
  std::printf("%s: %ld steps; test loss %.4f, accuracy %.1f %%\n", Device::name, trainer.steps(), loss, 100 * accuracy);
  return {std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count(), accuracy > 0.97};
}

int main(int count, char** values) try {
  Arguments arguments(count, values);
  const std::string device = arguments.get("--device", "host", device_choices);
  const int epochs = arguments.get("--epochs", 60, 1, "times through the points");
  arguments.finish();
  check_device(arguments, device);
  return on_devices(device, 1, [&](const auto& on) { return run(on, epochs); });
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
