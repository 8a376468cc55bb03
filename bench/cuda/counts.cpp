// SPDX-License-Identifier: MIT
// The work of a block of each kernel on a GPU, phase by phase, counted on the CPU: accesses of warps, bank conflicts,
// lines and sectors of the device's memory, and an estimate of the time from these (counting::Model).
//     g++ -std=c++20 -O1 -DSINTER_KERNELS_ON_HOST -Iinclude -Itests -isystem CUDA/include bench/cuda/counts.cpp
//         tests/support/fake_cuda/fake_cuda.cpp -o counts -pthread
//     counts [NAME] [--code FILE]
// FILE says how large the code of kernels is, as bench/code_sizes.py prints it; then what it takes to fetch is counted, too.
#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <map>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "counting_executor.hpp"
#include "kernels.hpp"

namespace {
using counting::Call, counting::Counter, counting::Counts;

/// Begins where an allocation on a device could.
template <class T>
class DeviceArray {
 public:
  explicit DeviceArray(std::size_t size) : lines_(size * sizeof(T) / sizeof(Line) + 1) {}
  explicit DeviceArray(std::span<const T> values) : DeviceArray(values.size()) {
    std::copy(values.begin(), values.end(), data());
  }
  T* data() { return reinterpret_cast<T*>(lines_.data()); }

 private:
  struct alignas(256) Line {
    std::byte bytes[256];
  };
  std::vector<Line> lines_;
};
double ratio(double all, double of) { return of > 0 ? all / of : 0; }

/// Phases of a step are divided by the number of `steps`.
void print(const char* kernel, const std::vector<Counts>& phases, int steps, double code) {
  std::printf("%-12s %8s %6s | %8s %6s | %8s %6s %6s | %8s %6s %6s | %7s %9s %9s %9s  %s\n", kernel, "items", "idle %",
              "shared", "waves", "reads", "lines", "sect.", "writes", "lines", "sect.", "chain", "moving", "waiting",
              "cycles", "worst line of the source");
  double sum = 0;
  for (const Counts& c : phases) {
    const double n = c.in_step ? steps : 1;
    if (c.in_step) sum += c.cycles / n;
    std::printf("%-12s %8.0f %6.1f | %8.0f %6.2f | %8.0f %6.2f %6.2f | %8.0f %6.2f %6.2f | %7.0f %9.0f %9.0f %9.0f",
                c.phase.c_str(), c.items / n, 100 * c.idle(), c.shared / n, ratio(c.wavefronts, c.shared),
                c.reads.count / n, ratio(c.reads.lines, c.reads.count), ratio(c.reads.sectors, c.reads.count),
                c.writes.count / n, ratio(c.writes.lines, c.writes.count), ratio(c.writes.sectors, c.writes.count),
                c.chain / n, c.moves / n, c.waits / n, c.cycles / n);
    if (const counting::Line* worst = c.worst())
      std::printf("  %s:%u, %.0f x %.1f", worst->where.file, worst->where.line, worst->requests / n,
                  worst->cost / worst->requests);
    std::printf("\n");
  }
  const auto microseconds = [](double cycles) { return cycles / (counting::Model::gigahertz * 1e3); };
  std::printf("%-12s %.0f cycles, %.1f us", "  together", sum, microseconds(sum));
  if (code > 0) std::printf("; once in a launch %.0f cycles, %.1f us, to fetch its code", code, microseconds(code));
  std::printf("\n\n");
}

/// Runs block 0 alone.
struct Counting {
  template <class T>
  using Array = DeviceArray<T>;

  const char* wanted = nullptr;
  const char* name = "";
  std::map<std::string, double> code;  // bytes of "W1 TrainTiles", "* ApplyUpdate"

  std::size_t members(int) const { return 1; }

  template <class K>
  void run(workload::Launch launch, const typename K::Args& args) {
    DeviceArray<std::byte> shared(launch.shared_bytes);
    std::memset(static_cast<void*>(shared.data()), 0xff, launch.shared_bytes);
    const int busy = std::max(launch.blocks, launch.busy);
    Counter counter(std::move(launch.calls), shared.data(), launch.shared_bytes, busy);
    counting::CountingExecutor<K::whole_grid> x(counter, 0, launch.blocks, K::threads, shared.data());
    K::run(x, args);
    if (!counter.complete()) throw std::logic_error("fewer calls of items than were announced");
    print(launch.kernel, counter.phases(), launch.steps, counting::Model::fetch(bytes_of(launch.kernel), busy));
  }

 private:
  double bytes_of(const std::string& kernel) const {
    for (const std::string& what : {std::string(name) + " " + kernel, "* " + kernel})
      if (const auto found = code.find(what); found != code.end()) return found->second;
    return 0;
  }
};

}  // namespace

int main(int count, char** values) {
  Counting on;
  for (int i = 1; i < count; ++i)
    if (std::strcmp(values[i], "--code") == 0 && i + 1 < count) {
      std::ifstream file(values[++i]);
      std::string workload, kernel;
      for (double bytes = 0; file >> workload >> kernel >> bytes;) on.code[workload + " " + kernel] = bytes;
      if (on.code.empty()) {
        std::fprintf(stderr, "counts: no sizes of code in %s\n", values[i]);
        return 2;
      }
    } else {
      on.wanted = values[i];
    }
  workload::run_workloads(on);
}
