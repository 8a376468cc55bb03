// SPDX-License-Identifier: MIT
// ResNet-8 on CIFAR-10, of which SINTER_CIFAR10 names the folder: seconds of three epochs, and the accuracy on the test set
// behind each. bench/peers/torch_cifar.py --network resnet8 does the same by PyTorch.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <cstdlib>
#include <sinter/data/cifar.hpp>
#include <sinter/sinter.hpp>
#include <string>

#include "support/networks.hpp"

using namespace sinter;

namespace {

void resnet8(benchmark::State& state) {
  const char* folder = std::getenv("SINTER_CIFAR10");
  if (!folder) {
    state.SkipWithError("set SINTER_CIFAR10 to the folder of CIFAR-10's binary files");
    return;
  }
  const Cifar cifar = read_cifar10(folder);
  for (auto _ : state) {
    Network<bench::ResNet8> net{Host{.threads = 1}, {.seed = static_cast<std::uint64_t>(state.range(0))}};
    const History history =
        fit(net, cifar.train, CrossEntropyLoss{}, SGD{.lr = 0.05, .momentum = 0.9, .nesterov = true},
            {.batch_size = 128, .epochs = 3, .validation = &cifar.test});
    for (const EpochRecord& epoch : history.epochs)
      state.counters["epoch " + std::to_string(epoch.epoch) + ", %"] = 100 * epoch.validation_accuracy;
  }
}
BENCHMARK(resnet8)->DenseRange(1, 3)->ArgName("seed")->Iterations(1)->Unit(benchmark::kSecond);

}  // namespace

BENCHMARK_MAIN();
