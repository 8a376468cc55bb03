// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sinter/core/macros.hpp"

SINTER_NAMESPACE_BEGIN

/// An executor runs a kernel. A kernel body is written once, over an executor X, as a sequence of phases:
///
///     x.items(n, [&](int i) { .. });  // each i in [0, n) once, by one thread of the team
///     x.barrier();                    // all items are done before any of the next phase begins
///
/// A team is a block, or, of a WholeGrid executor, the grid, whose only barrier is the end of the kernel. What a block
/// does alone, by `x.items_of_block`, it divides by `x.barrier_of_block`.
/// The blocks of the grid share the pieces of `x.run_pieces(work)`, which go through their shared memory, at
/// `x.block_memory<T>()`: of each, `fetch` and `keep` bring in a slice, `multiply` uses it while the next is fetched,
/// `keep_row_sums` shares sums of slices where the work has them, and `finish` takes what the threads have in their
/// states.
///
/// `x.memory<T>(..)` and `x.global(p)` give the pointers that a body reads and writes through, `in(p, n)` and `out(p,
/// n)` the plain ones for a row of n numbers. There are three executors: Cuda (executor.cuh), Host below, and one in
/// the tests that checks every access.
namespace executor {

template <class T>
SINTER_FN const T* in(T* p, int) {
  return p;
}
template <class T>
SINTER_FN T* out(T* p, int) {
  return p;
}

/// Declares to nvcc that an address is in device memory, where it was loaded from memory or chosen among several:
/// otherwise loads are generic.
template <class T>
SINTER_FN T* in_global(T* p) {
#if defined(__CUDA_ARCH__)
  __builtin_assume(__isGlobal(p));
#endif
  return p;
}

/// As many numbers as are moved at once: up to 16 bytes.
template <class T, int N>
struct alignas(N * sizeof(T)) Together {
  static_assert((N & (N - 1)) == 0 && N * sizeof(T) <= 16);
  T at[N];
};
template <class T, int N>
inline constexpr int at_once = N * sizeof(T) <= 16 ? N : static_cast<int>(16 / sizeof(T));

/// Where numbers are moved together: does nothing, except for an executor that checks accesses.
template <class P>
SINTER_FN void look_together(const P&, int) {}

/// N contiguous numbers, from an address that is a multiple of N of them or of 16 bytes: one read for each 16 bytes.
template <int N, class P, class T>
SINTER_FN void read_together(const P& p, T (&to)[N]) {
  constexpr int n = at_once<T, N>;
  SINTER_UNROLL
  for (int first = 0; first < N; first += n) {
    const T* from = in(p + first, n);
    look_together(p + first, n);
#if defined(__CUDA_ARCH__)
    const Together<T, n> line = *reinterpret_cast<const Together<T, n>*>(from);
    SINTER_UNROLL
    for (int k = 0; k < n; ++k) to[first + k] = line.at[k];
#else
    for (int k = 0; k < n; ++k) to[first + k] = from[k];
#endif
  }
}
/// Writes to such an address.
template <int N, class P, class T>
SINTER_FN void write_together(const P& p, const T (&from)[N]) {
  constexpr int n = at_once<T, N>;
  SINTER_UNROLL
  for (int first = 0; first < N; first += n) {
    T* to = out(p + first, n);
    look_together(p + first, n);
#if defined(__CUDA_ARCH__)
    Together<T, n> line;
    SINTER_UNROLL
    for (int k = 0; k < n; ++k) line.at[k] = from[first + k];
    *reinterpret_cast<Together<T, n>*>(to) = line;
#else
    for (int k = 0; k < n; ++k) to[k] = from[first + k];
#endif
  }
}

/// The CPU, one item after another: the same numbers as on a GPU, bit for bit.
template <bool WholeGrid = false>
class Host {
 public:
  template <class T>
  using Pointer = T*;

  Host(int block, int blocks, int threads, std::byte* shared)
      : block_(block), blocks_(blocks), threads_(threads), shared_(shared) {}

  int block() const { return block_; }
  int blocks() const { return blocks_; }

  template <class Item>
  void items(int n, Item&& item) {
    const int begin = WholeGrid ? block_ * threads_ : 0, size = WholeGrid ? blocks_ * threads_ : threads_;
    for (int i = 0; i < n; i += size)
      for (int t = begin; t < begin + threads_ && i + t < n; ++t) item(i + t);
  }
  void barrier() {}
  /// A barrier of each block, also where the team is the grid.
  void barrier_of_block() {}
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

  template <class Work>
  void run_pieces(const Work& work) {
    std::vector<typename Work::State> states(Work::threads);
    const auto each = [&](auto&& run) {
      for (int t = 0; t < Work::threads; ++t) run(t, states[static_cast<std::size_t>(t)]);
    };
    for (int piece = block_; piece < work.pieces(); piece += blocks_) {
      const int slices = work.slices(piece);
      each([&](int t, auto& state) { work.begin(piece, t, state); });
      for (int slice = 0; slice < slices; ++slice) {
        each([&](int t, auto& state) { work.fetch(slice, t, state); });
        each([&](int t, auto& state) { work.keep(slice, t, state); });
        each([&](int t, auto& state) { work.multiply(slice, t, state); });
      }
      if constexpr (Work::sums_rows) each([&](int t, auto& state) { work.keep_row_sums(slices, t, state); });
      each([&](int t, auto& state) { work.finish(piece, slices, t, state); });
    }
  }

  /// Writes a word that the host reads, after everything that the block wrote before its last barrier.
  void publish(std::uint64_t* word, std::uint64_t value) { *word = value; }

  /// From byte `at` on in the memory of the team: a block's shared memory, or `grid_memory` in device memory for
  /// the grid.
  template <class T>
  T* memory(std::size_t at, [[maybe_unused]] std::byte* grid_memory = nullptr) {
    return reinterpret_cast<T*>((WholeGrid ? grid_memory : shared_) + at);
  }
  template <class T>
  T* block_memory() {
    return reinterpret_cast<T*>(shared_);
  }
  template <class T>
  T* global(T* p) {
    return p;
  }
  /// These numbers are not needed any more: informs an executor that checks accesses.
  template <class T>
  void discard(T*, std::size_t) {}

 private:
  int block_, blocks_, threads_;
  std::byte* shared_;
};

}  // namespace executor

SINTER_NAMESPACE_END
