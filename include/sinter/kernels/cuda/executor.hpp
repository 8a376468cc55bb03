// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>

#include "sinter/core/macros.hpp"

SINTER_NAMESPACE_BEGIN

/// Who runs a kernel. A kernel body is written once, over an executor X, as a sequence of phases:
///
///     x.items(n, [&](int i) { .. });  // each i in [0, n) once, by one thread of the team
///     x.barrier();                    // all items are done before any of the next phase begins
///
/// A team is a block; of a Wide executor it is the whole grid, which has no barrier but the end of the kernel.
/// `x.memory<T>(..)` and `x.global(p)` give the pointers that a body reads and writes through, `in(p, n)` and `out(p, n)`
/// the plain ones for a row of n numbers. There are three executors: Cuda (executor.cuh), Host below, and one in the
/// tests that watches every access.
namespace executor {

template <class T>
SINTER_FN const T* in(T* p, int) {
  return p;
}
template <class T>
SINTER_FN T* out(T* p, int) {
  return p;
}

/// N numbers that lie together, from a place that is a multiple of N of them or of 16 bytes: one read.
template <int N, class P, class T>
SINTER_FN void read_together(const P& p, T (&to)[N]) {
  const T* from = in(p, N);
#if defined(__CUDA_ARCH__)
  constexpr std::size_t most = 16, bytes = N * sizeof(T);
  struct alignas(bytes < most ? bytes : most) Line {
    T at[N];
  };
  const Line line = *reinterpret_cast<const Line*>(from);
  SINTER_UNROLL
  for (int k = 0; k < N; ++k) to[k] = line.at[k];
#else
  for (int k = 0; k < N; ++k) to[k] = from[k];
#endif
}

/// The CPU, one item after another: the same numbers as on a GPU, bit by bit.
template <bool Wide = false>
class Host {
 public:
  template <class T>
  using Pointer = T*;

  Host(int block, int blocks, int threads, std::byte* shared)
      : block_(block), blocks_(blocks), threads_(threads), shared_(shared) {}

  int block() const { return block_; }

  template <class Item>
  void items(int n, Item&& item) {
    const int begin = Wide ? block_ * threads_ : 0, size = Wide ? blocks_ * threads_ : threads_;
    for (int i = 0; i < n; i += size)
      for (int t = begin; t < begin + threads_ && i + t < n; ++t) item(i + t);
  }
  void barrier() {}
  /// Whether any thread of the block found something; also a barrier of the block.
  bool any(bool found) { return found; }

  /// By the threads of each block, also where the team is the grid.
  template <class Item>
  void items_of_block(int n, Item&& item) {
    for (int i = 0; i < n; ++i) item(i);
  }
  /// By one thread of each block.
  template <class Item>
  void once(Item&& item) {
    item();
  }

  /// Writes a word for the host to see, after all that the block wrote before its last barrier.
  void publish(std::uint64_t* word, std::uint64_t value) { *word = value; }

  /// From byte `at` on in the memory of the team: a block's own, or `far`, in the device's memory, of a wide team.
  template <class T>
  T* memory(std::size_t at, [[maybe_unused]] std::byte* far = nullptr) {
    return reinterpret_cast<T*>((Wide ? far : shared_) + at);
  }
  template <class T>
  T* global(T* p) {
    return p;
  }
  /// Nothing that these numbers hold is needed any more: says so to an executor that watches.
  template <class T>
  void discard(T*, std::size_t) {}

 private:
  int block_, blocks_, threads_;
  std::byte* shared_;
};

}  // namespace executor

SINTER_NAMESPACE_END
