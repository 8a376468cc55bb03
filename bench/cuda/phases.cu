// SPDX-License-Identifier: MIT
// Cycles of each phase of the kernels that bench/cuda/counts estimates, on a GPU: an executor notes the clock wherever block
// 0 begins what `items` does, which is after a barrier. Medians of 21 launches; bench/phases.py prints both side by side.
//     phases [NAME]
#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "kernels.hpp"

namespace {

/// Memory of the device, written once by the host.
template <class T>
struct DeviceArray : sinter::CudaArray<T> {
  explicit DeviceArray(std::size_t size) : sinter::CudaArray<T>(sinter::Cuda{}, size) {}
  explicit DeviceArray(std::span<const T> values) : DeviceArray(values.size()) {
    this->upload(values.data(), values.size());
  }
};

template <bool WholeGrid>
class StampingExecutor : public sinter::internal::executor::Cuda<WholeGrid> {
  using Base = sinter::internal::executor::Cuda<WholeGrid>;

 public:
  __device__ StampingExecutor(std::byte* shared, long long* stamps, int most)
      : Base(shared), stamps_(stamps), most_(most) {}

  template <class Item>
  __device__ void items(int n, Item&& item) {
    stamp();
    Base::items(n, item);
  }
  __device__ void stamp() {
    if (blockIdx.x == 0 && threadIdx.x == 0 && calls_ < most_) stamps_[calls_] = clock64();
    ++calls_;
  }
  __device__ int calls() const { return calls_; }

 private:
  long long* stamps_;
  int most_, calls_ = 0;
};

/// `stamps` [most]: of each call, and of the end; `calls` is how many there were.
template <class K>
__global__ void __launch_bounds__(K::threads, 512 / K::threads)
    stamped(const __grid_constant__ typename K::Args args, long long* stamps, int most, int* calls) {
  if constexpr (sinter::internal::gpu_kernels::runs_on<K, sinter::internal::executor::capability>) {
    extern __shared__ __align__(16) std::byte shared[];
    StampingExecutor<K::whole_grid> x(shared, stamps, most);
    K::run(x, args);
    __syncthreads();
    x.stamp();
    if (blockIdx.x == 0 && threadIdx.x == 0) *calls = x.calls();
  } else {
    __trap();
  }
}

struct Stamping {
  template <class T>
  using Array = DeviceArray<T>;

  const char* wanted = nullptr;
  const char* name = "";
  int wrong = 0;

  std::size_t members(int nets) const { return static_cast<std::size_t>(nets); }

  template <class K>
  void run(const workload::Launch& launch, const typename K::Args& args) {
    const std::size_t count = launch.calls.size();
    DeviceArray<long long> stamps(count + 1);
    DeviceArray<int> calls(1);
    std::vector<long long> clock(count + 1);
    sinter::cuda_check(cudaFuncSetAttribute(stamped<K>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                            static_cast<int>(launch.shared_bytes)),
                       "asking for the shared memory of a kernel");
    std::vector<std::vector<double>> cycles(count);
    for (int i = 0; i < 3 + times; ++i) {  // the first ones warm up
      stamped<K><<<static_cast<unsigned>(launch.blocks), K::threads, launch.shared_bytes>>>(
          args, stamps.data(), static_cast<int>(count) + 1, calls.data());
      sinter::cuda_check(cudaGetLastError(), "launching a kernel");
      sinter::cuda_check(cudaDeviceSynchronize(), "waiting for a kernel");
      int stamped_calls = 0;
      calls.download(&stamped_calls, 1);
      stamps.download(clock.data(), clock.size());
      if (stamped_calls != static_cast<int>(count) + 1) {
        std::printf("%s: %d calls of items, %zu were announced  WRONG\n", launch.kernel, stamped_calls - 1, count);
        ++wrong;
        return;
      }
      for (std::size_t c = 0; c < count && i >= 3; ++c)
        cycles[c].push_back(static_cast<double>(clock[c + 1] - clock[c]));
    }
    print(launch, cycles);
  }

 private:
  static constexpr int times = 21;

  /// As counts does: calls of the same name together, those of a step divided by the steps.
  static void print(const workload::Launch& launch, std::vector<std::vector<double>>& cycles) {
    std::vector<std::pair<std::string, double>> phases;
    double sum = 0;
    for (std::size_t c = 0; c < cycles.size(); ++c) {
      std::nth_element(cycles[c].begin(), cycles[c].begin() + times / 2, cycles[c].end());
      const auto& call = launch.calls[c];
      const double own = cycles[c][times / 2] / (call.in_step ? launch.steps : 1);
      if (call.in_step) sum += own;
      auto at = std::find_if(phases.begin(), phases.end(), [&](const auto& p) { return p.first == call.phase; });
      if (at == phases.end()) at = phases.insert(at, {call.phase, 0});
      at->second += own;
    }
    std::printf("%-12s %9s\n", launch.kernel, "cycles");
    for (const auto& [phase, own] : phases) std::printf("%-12s %9.0f\n", phase.c_str(), own);
    std::printf("%-12s %.0f cycles\n\n", "  together", sum);
  }
};

}  // namespace

int main(int count, char** values) {
  if (sinter::cuda_devices().empty()) {
    std::printf("skipped: %s\n", sinter::why_no_cuda().c_str());
    return 77;
  }
  Stamping on;
  if (count > 1) on.wanted = values[1];
  workload::run_workloads(on);
  return on.wrong == 0 ? 0 : 1;
}
