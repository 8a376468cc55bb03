// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>

#include "sinter/core/finite.hpp"
#include "sinter/fn/apply.hpp"
#include "sinter/kernels/gpu/executor.hpp"
#include "sinter/kernels/gpu/work.hpp"

SINTER_NAMESPACE_BEGIN

namespace gpu_kernels {
using fn::product;

/// Adds up what the slots of a batch hold. A number is added up in four parts, slot part, part + 4, .., and these in
/// their order, so that many reads of slots are in flight at the same time. With fewer slots a thread adds all of them.
template <class T>
struct SlotSums {
  static constexpr int threads = 256, most_parts = 4;
  static constexpr std::size_t memory = threads * sizeof(T);

  const T* numbers;      // [count][arena]
  const double* losses;  // [count]
  int count, arena;

  SINTER_HOST_DEVICE constexpr int parts() const { return count < most_parts ? 1 : most_parts; }

  /// ready(i, start(i) + sum) for each number that is a block's, by one thread. A barrier must come between this and
  /// another use of the same memory.
  template <class X, class Start, class Ready>
  SINTER_FN void each(X& x, int block, int blocks, Start&& start, Ready&& ready) const {
    const int all = parts(), columns_log = all == 1 ? 8 : 6, columns = 1 << columns_log;
    static_assert(threads == 1 << 8 && most_parts == 1 << 2);
    const auto sums = x.template memory<T>(0);
    for (int first = block * columns; first < arena; first += blocks * columns) {
      const int here = arena - first < columns ? arena - first : columns;
      x.items(threads, [&](int t) {
        const int column = t & (columns - 1);
        if (column < here) sums[t] = part<T>(x, numbers + (first + column), arena, t >> columns_log, all);
      });
      x.barrier();
      x.items(here, [&](int column) {
        T sum = start(first + column);
        for (int p = 0; p < all; ++p) sum += T(sums[p * columns + column]);
        ready(first + column, sum);
      });
      if (first + blocks * columns < arena) x.barrier();
    }
  }
  /// The same sum of number i, by one thread: rarely needed, so in little code.
  template <class X>
  SINTER_FN T of(X& x, int i) const {
    const int all = parts();
    T sum = T(0);
    SINTER_UNROLL_BY(1)
    for (int p = 0; p < all; ++p) sum += part<T, 1>(x, numbers + i, arena, p, all);
    return sum;
  }
  template <class X>
  SINTER_FN double loss(X& x) const {
    double sum = 0;
    SINTER_UNROLL_BY(1)
    for (int p = 0; p < most_parts; ++p) sum += part<double, 1>(x, losses, 1, p, most_parts);
    return sum;
  }
  /// ready(loss), by one thread of a block that adds up the parts together.
  template <class X, class Ready>
  SINTER_FN void loss(X& x, Ready&& ready) const {
    const auto sums = x.template memory<double>(0);
    x.items(most_parts, [&](int p) { sums[p] = part<double>(x, losses, 1, p, most_parts); });
    x.barrier();
    x.items(1, [&](int) {
      double sum = 0;
      for (int p = 0; p < most_parts; ++p) sum += double(sums[p]);
      ready(sum);
    });
  }

 private:
  /// from[first * stride] + from[(first + step) * stride] + .., of which `Together` are read at the same time.
  template <class Number, int Together = 16, class X>
  SINTER_FN Number part(X& x, const Number* from, int stride, int first, int step) const {
    const auto all = x.global(from);
    Number sum = 0;
    SINTER_UNROLL_BY(Together)
    for (int slot = first; slot < count; slot += step) sum += Number(all[static_cast<std::ptrdiff_t>(slot) * stride]);
    return sum;
  }
};

/// After the tiles of a batch whose gradient is one of several: adds the slots to it, and the losses; each block notes
/// whether its sums are finite.
template <class T>
struct Combine {
  static constexpr bool whole_grid = false;
  static constexpr int threads = SlotSums<T>::threads;
  static constexpr std::size_t memory = SlotSums<T>::memory;

  struct Args {
    SlotSums<T> sums;
    T* gradient;
    T fraction;          // of the existing gradient; 0: it is overwritten
    double* loss;        // the sum
    std::uint32_t* bad;  // [blocks]
    int blocks;
  };
  static constexpr int blocks_for(int arena) {
    const int most = 528, wanted = divide_up(arena, threads / SlotSums<T>::most_parts);
    return wanted < 1 ? 1 : wanted < most ? wanted : most;
  }

  template <class X>
  SINTER_FN static void run(X& x, const Args& a) {
    const int block = x.block();
    const auto gradient = x.global(a.gradient);
    bool bad = false;
    a.sums.each(
        x, block, a.blocks, [&](int i) { return a.fraction == T(0) ? T(0) : product(T(gradient[i]), a.fraction); },
        [&](int i, T sum) {
          gradient[i] = sum;
          bad |= !is_finite(sum);
        });
    if (block == 0) {
      x.barrier();  // the sums of losses are where those of numbers were
      a.sums.loss(x, [&](double sum) {
        x.global(a.loss)[0] = sum;
        bad |= !is_finite(sum);
      });
    }
    const bool any = x.any(bad);
    x.once([&] { x.global(a.bad)[block] = any ? 1u : 0u; });
  }
};

/// Whether a slot that the whole grid has filled holds numbers that are not finite, or large: block by block.
template <class T>
struct LookAtSlot {
  static constexpr bool whole_grid = true;
  static constexpr int threads = 256;

  struct Args {
    const T* slot;  // [arena]
    int arena;
    const double* loss;
    std::uint32_t* large;  // [blocks]
  };

  template <class X>
  SINTER_FN static void run(X& x, const Args& a) {
    const auto slot = x.global(a.slot);
    bool large = false;
    x.items(a.arena, [&](int i) { large |= is_large(T(slot[i])); });
    x.items(1, [&](int) { large |= is_large(double(x.global(a.loss)[0])); });
    const bool any = x.any(large);
    x.once([&] { x.global(a.large)[x.block()] = any ? 1u : 0u; });
  }
};

}  // namespace gpu_kernels

SINTER_NAMESPACE_END
