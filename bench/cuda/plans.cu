// SPDX-License-Identifier: MIT
// Microseconds of a training step by each plan beside what the cost model estimates, on a GPU: whether it chooses the
// fastest.
#include <cstdint>
#include <cstdio>

#include "step_time.hpp"

namespace {
using namespace workload;

template <class Model, CudaPlan Plan, class T, class Loss>
void measure(const char* name, std::size_t rows, std::size_t batch, int epochs, const Loss& loss) {
  using Choice = gpu_kernels::Choose<Model, float, 1>;
  const Spread step = step_time<Model, CudaWith<Plan>, T>(rows, batch, epochs, loss, 5);
  const int n = static_cast<int>(batch);
  constexpr std::size_t shared = gpu_kernels::most_shared_memory;
  std::printf("%-22s %-9s %9.2f %8.2f-%-8.2f %9.2f%s\n", name, name_of(Plan), step.median, step.low, step.high,
              Choice::cost(Plan, n, shared), Choice::plan(n, shared) == Plan ? "  chosen" : "");
}
template <class Model, class T, class Loss>
void pair_and_layers(const char* name, std::size_t rows, std::size_t batch, int epochs, const Loss& loss) {
  measure<Model, CudaPlan::pair, T>(name, rows, batch, epochs, loss);
  measure<Model, CudaPlan::layers, T>(name, rows, batch, epochs, loss);
}
}  // namespace

int main() {
  if (cuda_devices().empty()) {
    std::printf("skipped: %s\n", why_no_cuda().c_str());
    return 77;
  }
  std::printf("%-22s %-9s %9s %17s %9s\n", "us a step", "plan", "median", "10-90 %", "estimate");
  measure<W2n4, CudaPlan::resident, float>("W2 n=4 batch 100", 1000, 100, 100, CrossEntropyLoss{});
  measure<W2n4, CudaPlan::pair, float>("W2 n=4 batch 100", 1000, 100, 100, CrossEntropyLoss{});
  measure<W2n6, CudaPlan::resident, float>("W2 n=6 batch 100", 1000, 100, 100, CrossEntropyLoss{});
  measure<W2n6, CudaPlan::pair, float>("W2 n=6 batch 100", 1000, 100, 100, CrossEntropyLoss{});
#if !defined(SINTER_SMALL_WORKLOADS)
  pair_and_layers<W2n8, float>("W2 n=8 batch 100", 1000, 100, 60, CrossEntropyLoss{});
  pair_and_layers<W2n10, float>("W2 n=10 batch 100", 1000, 100, 30, CrossEntropyLoss{});
  pair_and_layers<W3Mlp, std::uint8_t>("W3 mlp batch 128", 12800, 128, 4, CrossEntropyLoss{});
  pair_and_layers<W3Mlp, std::uint8_t>("W3 mlp batch 1024", 20480, 1024, 8, CrossEntropyLoss{});
  pair_and_layers<W3Cnn, std::uint8_t>("W3 cnn batch 128", 12800, 128, 2, CrossEntropyLoss{});
  pair_and_layers<W1, std::uint8_t>("W1 batch 200", 20000, 200, 4, NLLLoss{});
  pair_and_layers<W1, std::uint8_t>("W1 batch 1000", 20000, 1000, 4, NLLLoss{});
#endif
}
