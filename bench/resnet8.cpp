// SPDX-License-Identifier: MIT
// ResNet-8 (bench/support/networks.hpp) on CIFAR-10: seconds of three epochs, and the accuracy on the test set behind each.
// bench/peers/torch_cifar.py --network resnet8 does the same by PyTorch. Pictures as they are and one rate: unlike
// examples/16_cifar_residual, whose network pools early and has no convolutions in its shortcuts, and which learns from pictures
// changed in each epoch by a rate that rises and falls. SINTER_CIFAR10 names the folder of the binary files; without it the
// few pictures of the repository are used, to see that it runs.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <cstdlib>
#include <sinter/data/cifar.hpp>
#include <sinter/sinter.hpp>
#include <string>

#include "support/networks.hpp"

using namespace sinter::internal;

namespace {

void resnet8(benchmark::State& state) {
  const char* folder = std::getenv("SINTER_CIFAR10");
  const Cifar cifar = read_cifar10(folder ? folder : SINTER_CIFAR10_SUBSET);
  state.SetLabel(std::to_string(cifar.train.size()) + " pictures");
  for (auto _ : state) {
    Network<bench::ResNet8> net{Host{.threads = 1}, {.seed = static_cast<std::uint64_t>(state.range(0))}};
    const History history =
        fit(net, cifar.train, CrossEntropyLoss{}, SGD{.lr = 0.05, .momentum = 0.9, .nesterov = true},
            {.batch_size = 128, .epochs = 3, .validation = &cifar.test});
    if (!history.stopped.empty()) fail("seed " + std::to_string(state.range(0)) + ": " + history.stopped);
    for (const EpochRecord& epoch : history.epochs)
      state.counters["epoch " + std::to_string(epoch.epoch) + ", %"] = 100 * epoch.validation_accuracy;
  }
}
BENCHMARK(resnet8)->DenseRange(1, 3)->ArgName("seed")->Iterations(1)->Unit(benchmark::kSecond);

}  // namespace

BENCHMARK_MAIN();
