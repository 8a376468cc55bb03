// SPDX-License-Identifier: MIT
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstring>
#include <string>
#include <vector>

#include "sinter/device/cuda.cuh"
#include "sinter/kernels/gpu/capability.hpp"
#include "sinter/kernels/gpu/executor.hpp"
#if defined(__CUDACC__)
#include "sinter/kernels/cuda/executor.cuh"
#elif !defined(SINTER_KERNELS_ON_HOST)
#error "sinter: sinter.cuh needs nvcc: compile the file as CUDA (.cu)"
#endif

SINTER_NAMESPACE_BEGIN

namespace gpu_kernels {

#if defined(__CUDACC__)

template <class K>
const void* kernel_of() {
  return reinterpret_cast<const void*>(&executor::entry<K>);
}

#else

/// Replaces a kernel in tests compiled without nvcc: their runtime calls `run`, which is the same body on the CPU.
struct HostKernel {
  std::size_t argument_size;
  void (*run)(const void* argument, unsigned blocks, unsigned threads, std::size_t shared_bytes);
  bool (*runs_on)(int capability);  // otherwise its code for that capability is a stub that traps
};

template <class K>
void run_on_host(const void* argument, unsigned blocks, unsigned threads, std::size_t shared_bytes) {
  std::vector<double> shared((shared_bytes + sizeof(double) - 1) / sizeof(double));
  if (shared_bytes > 0) std::memset(shared.data(), 0xff, shared.size() * sizeof(double));  // NaN
  for (unsigned block = 0; block < blocks; ++block) {
    executor::Host<K::whole_grid> x(static_cast<int>(block), static_cast<int>(blocks), static_cast<int>(threads),
                                    reinterpret_cast<std::byte*>(shared.data()));
    K::run(x, *static_cast<const typename K::Args*>(argument));
  }
}
template <class K>
inline constexpr HostKernel host_kernel{sizeof(typename K::Args), run_on_host<K>,
                                        [](int capability) { return least_memory<K> <= shared_memory_of(capability); }};

template <class K>
const void* kernel_of() {
  return &host_kernel<K>;
}

#endif

inline constexpr int overlapping_capability = 90, overlapping_driver = 12030;

/// `shared_bytes` is the shared memory of a block. With `overlaps`, the kernel is made ready while the one before it on
/// the stream, which must be of this library, still runs; it waits for that one's end itself (executor::entry). Between
/// two kernels of a graph pass 0.6 us instead of 0.9 (bench/results/2026-11-26-h100.md). Code for
/// `overlapping_capability` waits, and CUDA records such launches from `overlapping_driver` on.
template <class K>
void launch(const Cuda& device, const typename K::Args& args, int blocks, std::size_t shared_bytes = 0,
            bool overlaps = false) {
  void* arguments[] = {const_cast<typename K::Args*>(&args)};
  if (overlaps) {
    cudaLaunchAttribute attribute{};
    attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attribute.val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t config{};
    config.gridDim = dim3(static_cast<unsigned>(blocks));
    config.blockDim = dim3(K::threads);
    config.dynamicSmemBytes = shared_bytes;
    config.stream = device.stream;
    config.attrs = &attribute;
    config.numAttrs = 1;
    return cuda_check(cudaLaunchKernelExC(&config, kernel_of<K>(), arguments), "launching a kernel");
  }
  cuda_check(cudaLaunchKernel(kernel_of<K>(), dim3(static_cast<unsigned>(blocks)), dim3(K::threads), arguments,
                              shared_bytes, device.stream),
             "launching a kernel");
}

}  // namespace gpu_kernels

SINTER_NAMESPACE_END
