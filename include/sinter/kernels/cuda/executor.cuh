// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

#include "sinter/kernels/gpu/capability.hpp"
#include "sinter/kernels/gpu/executor.hpp"

#if !defined(__CUDACC__)
#error "sinter: this header needs nvcc: compile the file as CUDA (.cu)"
#endif

SINTER_NAMESPACE_BEGIN

namespace executor {

/// A GPU. Each thread runs the body; code outside of `items` and `once` is executed by all threads.
template <bool WholeGrid = false>
class Cuda {
 public:
  template <class T>
  using Pointer = T*;

  __device__ explicit Cuda(std::byte* shared) : shared_(shared) {}

  __device__ int block() const { return static_cast<int>(blockIdx.x); }
  __device__ int blocks() const { return static_cast<int>(gridDim.x); }

  template <class Item>
  __device__ void items(int n, Item&& item) {
    const int begin = static_cast<int>(WholeGrid ? blockIdx.x * blockDim.x + threadIdx.x : threadIdx.x);
    const int size = static_cast<int>(WholeGrid ? gridDim.x * blockDim.x : blockDim.x);
    for (int i = begin; i < n; i += size) item(i);
  }
  __device__ void barrier() {
    if constexpr (!WholeGrid) __syncthreads();
  }
  __device__ void barrier_of_block() { __syncthreads(); }
  __device__ bool any(bool found) { return __syncthreads_or(found) != 0; }
  template <class Item>
  __device__ void items_of_block(int n, Item&& item) {
    for (int i = static_cast<int>(threadIdx.x); i < n; i += static_cast<int>(blockDim.x)) item(i);
  }
  template <class Item>
  __device__ void once(Item&& item) {
    if (threadIdx.x == 0) item();
  }

  template <class Work>
  __device__ void run_pieces(const Work& work) {
    const int thread = static_cast<int>(threadIdx.x);
    for (int piece = block(); piece < work.pieces(); piece += static_cast<int>(gridDim.x)) {
      typename Work::State state;
      work.begin(piece, thread, state);
      const int slices = work.slices(piece);
      if (slices > 0) {
        work.fetch(0, thread, state);
        work.keep(0, thread, state);
      }
      for (int slice = 0; slice < slices; ++slice) {
        __syncthreads();
        if (slice + 1 < slices) work.fetch(slice + 1, thread, state);
        work.multiply(slice, thread, state);
        if (slice + 1 < slices) work.keep(slice + 1, thread, state);
      }
      if constexpr (Work::sums_rows) {
        work.keep_row_sums(slices, thread, state);
        __syncthreads();
      }
      work.finish(piece, slices, thread, state);
      __syncthreads();
    }
  }

  __device__ void publish(std::uint64_t* word, std::uint64_t value) {
    if (threadIdx.x != 0) return;
    __threadfence_system();
    *const_cast<volatile std::uint64_t*>(word) = value;
  }

  template <class T>
  __device__ T* memory(std::size_t at, std::byte* grid_memory = nullptr) {
    // The address space is known at compile time: loads are from shared or device memory, not generic.
    if constexpr (WholeGrid)
      return in_global(reinterpret_cast<T*>(grid_memory + at));
    else
      return reinterpret_cast<T*>(shared_ + at);
  }
  template <class T>
  __device__ T* block_memory() {
    return reinterpret_cast<T*>(shared_);
  }
  template <class T>
  __device__ T* global(T* p) {
    return in_global(p);
  }
  template <class T>
  __device__ void discard(T*, std::size_t) {}

 private:
  std::byte* shared_;
};

/// The compute capability of this compiler pass: 75 is 7.5.
#if defined(__CUDA_ARCH__)
inline constexpr int capability = __CUDA_ARCH__ / 10;
#else
inline constexpr int capability = 0;
#endif

/// The kernel that runs body K, or its stub. At least 512 threads fit a multiprocessor: up to 128 registers for a
/// thread. By default, ptxas aims at 64, and spills.
template <class K>
__global__ void __launch_bounds__(K::threads, 512 / K::threads) entry(const __grid_constant__ typename K::Args args) {
  if constexpr (gpu_kernels::runs_on<K, capability>) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    // Where launches overlap (gpu_kernels::launch): lets the next kernel be made ready, and waits for the one before.
    cudaTriggerProgrammaticLaunchCompletion();
    cudaGridDependencySynchronize();
#endif
    extern __shared__ __align__(16) std::byte shared[];
    Cuda<K::whole_grid> x(shared);
    K::run(x, args);
  } else {
    __trap();
  }
}

}  // namespace executor

SINTER_NAMESPACE_END
