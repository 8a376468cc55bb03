// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/thrust/policy.cuh"
#if THRUST_DEVICE_SYSTEM == THRUST_DEVICE_SYSTEM_CUDA
#include <cub/device/device_radix_sort.cuh>
#else
#include <thrust/sort.h>
#endif

#include <cstddef>
#include <cstdint>
#include <utility>

#include "sinter/device/cuda_array.cuh"
#include "sinter/device/cuda_error.cuh"
#include "sinter/thrust/check_count.cuh"

SINTER_NAMESPACE_BEGIN

namespace detail {

/// Sorts values by their keys, numbers of so many bits; those of equal keys keep their order. By cub::DeviceRadixSort,
/// which looks at these bits only; Thrust's systems for CPUs by thrust::stable_sort_by_key.
inline void sort_pairs(CudaArray<std::uint32_t>& keys, CudaArray<std::uint32_t>& values, [[maybe_unused]] int bits,
                       const Cuda& cuda) {
#if THRUST_DEVICE_SYSTEM == THRUST_DEVICE_SYSTEM_CUDA
  CudaArray<std::uint32_t> other_keys(cuda, keys.size()), other_values(cuda, values.size());
  std::size_t bytes = 0;
  const auto run = [&](void* memory) {
    cuda_check(cub::DeviceRadixSort::SortPairs(memory, bytes, keys.data(), other_keys.data(), values.data(),
                                               other_values.data(), checked_count(keys.size()), 0, bits, cuda.stream),
               "sorting on a CUDA device");
  };
  run(nullptr);  // asks how many bytes it needs
  CudaArray<std::byte> memory(cuda, bytes);
  run(memory.data());
  std::swap(keys, other_keys);
  std::swap(values, other_values);
#else
  thrust::stable_sort_by_key(thrust_policy(cuda), keys.data(), keys.data() + checked_count(keys.size()), values.data());
#endif
}

}  // namespace detail

SINTER_NAMESPACE_END
