// SPDX-License-Identifier: MIT
// A few training steps of one workload and no more, for a profiler of kernels:
//     ncu --csv --metrics gpu__time_duration.sum steps NAME
// Each step is launched by itself, on data of the host.
#include <cstdio>
#include <cstring>
#include <string>

#include "workloads.hpp"

namespace {
using namespace workload;

template <class Model, class T, class Loss>
void run(const char* name, const char* wanted, std::size_t batch, const Loss& loss) {
  if (std::strcmp(name, wanted) != 0) return;
  const Data<Model, T> data(batch);
  Network<Model, Cuda> net{{.seed = 1}};
  Trainer trainer{net, loss, SGD{.lr = 0.01, .momentum = 0.5}};
  float last = 0;
  for (int i = 0; i < 3; ++i) last = trainer.step(data.x, data.labels);
  std::printf("%s: loss %g\n", name, static_cast<double>(last));
}
}  // namespace

int main(int count, char** values) {
  if (cuda_devices().empty()) {
    std::printf("skipped: %s\n", why_no_cuda().c_str());
    return 77;
  }
  const char* wanted = count > 1 ? values[1] : "W1";
  run<W1, std::uint8_t>("W1", wanted, 200, NLLLoss{});
#if !defined(SINTER_SMALL_WORKLOADS)
  run<W2n10, float>("W2n10", wanted, 100, CrossEntropyLoss{});
  run<W3Cnn, std::uint8_t>("W3cnn", wanted, 128, CrossEntropyLoss{});
  run<Wide, float>("wide", wanted, 128, CrossEntropyLoss{});
  run<Vgg, std::uint8_t>("VGG", wanted, 64, CrossEntropyLoss{});
  run<ResNet8, std::uint8_t>("ResNet-8", wanted, 128, CrossEntropyLoss{});
#endif
}
