// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/thrust/policy.cuh"
#if THRUST_DEVICE_SYSTEM == THRUST_DEVICE_SYSTEM_CUDA
#include <cub/device/device_histogram.cuh>
#else
#include <thrust/for_each.h>
#endif

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sinter/device/cuda_array.cuh"
#include "sinter/device/cuda_error.cuh"
#include "sinter/thrust/check_count.cuh"

SINTER_NAMESPACE_BEGIN

namespace detail {

#if THRUST_DEVICE_SYSTEM != THRUST_DEVICE_SYSTEM_CUDA
struct CountSample {
  std::uint32_t* counts;
  template <class Sample>
  void operator()(Sample sample) const {
    ++counts[sample];
  }
};
#endif

/// How often each of [0, bins) is among samples in the memory of a GPU, `count` whole numbers of this range. By
/// cub::DeviceHistogram; Thrust's systems for CPUs count one after another.
template <class Samples>
std::vector<std::uint32_t> histogram(Samples samples, std::size_t count, int bins, const Cuda& cuda) {
  CudaArray<std::uint32_t> counts(cuda, static_cast<std::size_t>(bins));
#if THRUST_DEVICE_SYSTEM == THRUST_DEVICE_SYSTEM_CUDA
  std::size_t bytes = 0;
  const auto run = [&](void* memory) {
    cuda_check(cub::DeviceHistogram::HistogramEven(memory, bytes, samples, counts.data(), bins + 1, 0, bins,
                                                   checked_count(count), cuda.stream),
               "counting on a CUDA device");
  };
  run(nullptr);  // asks how many bytes it needs
  CudaArray<std::byte> memory(cuda, bytes);
  run(memory.data());
#else
  thrust::for_each(thrust::seq, samples, samples + checked_count(count), CountSample{counts.data()});
#endif
  std::vector<std::uint32_t> result(counts.size());
  counts.download(result.data(), result.size());
  return result;
}

}  // namespace detail

SINTER_NAMESPACE_END
