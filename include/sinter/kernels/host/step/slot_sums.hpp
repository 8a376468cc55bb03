// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>

#include "sinter/kernels/host/plan/slot_places.hpp"
#include "sinter/kernels/host/stages/batch_gradient.hpp"
#include "sinter/kernels/host/step/batch_parts.hpp"
#include "sinter/kernels/host/step/sum_of_slots.hpp"
#include "sinter/kernels/host/step/watch.hpp"

SINTER_NAMESPACE_BEGIN

namespace host_kernels {

/// Sums of gradients in slots, and the gradient of a batch from them. `Memory`, which this is the base of, has slot(i),
/// `of_batch` for gradients of the whole batch where they are added to those of batches before, and `squares`.
template <class Memory, class Plan>
struct SlotSums {
  using T = typename Plan::Scalar;
  using V = typename Plan::V;
  using Isa = typename Plan::ISA;
  using Ops = typename Plan::Ops;
  using Parts = BatchParts<Plan>;
  static constexpr int lanes = Plan::lanes;
  static constexpr bool at_once = all_of_batch<Plan>;
  /// Numbers that are added together; slots have room for as many after the last.
  static constexpr int block = 64;

  /// f(begin, end, place in a slot) for the ranges of the arena whose gradients slots add up, or that are computed from
  /// the whole batch.
  template <bool OfBatch, class F>
  static void for_each_stretch(F&& f) {
    for (int i = 0; i < Ops::parameter_count;) {
      const int begin = i;
      while (i < Ops::parameter_count && Plan::parameter_of_batch(i) == Plan::parameter_of_batch(begin)) ++i;
      if (Plan::parameter_of_batch(begin) == OfBatch)
        f(Plan::parameter(begin).offset, end_of_parameter<Plan>(i - 1),
          slot_places<Plan>[static_cast<std::size_t>(begin)]);
    }
  }
  static void clear(T* slot) {
    [[maybe_unused]] const Watch<Isa> watch(Part::slot_sums);
    std::fill_n(slot, slot_size<Plan>, T(0));
  }
  static void add(const T* from, T* to) {
    [[maybe_unused]] const Watch<Isa> watch(Part::slot_sums);
    for (int i = 0; i < slot_size<Plan>; i += lanes) (V::load(to + i) + V::load(from + i)).store(to + i);
  }
  /// The remaining fraction of the gradient of earlier batches.
  SINTER_INLINE static V earlier(const T* gradient, T fraction) {
    return fraction == T(0) ? V(0) : product(V::load(gradient), V(fraction));
  }
  /// gradient = fraction * gradient + the sum of the first `count` slots by their tree, each element: split over the
  /// threads by elements. Gradients from the whole batch are in place already if fraction is 0; otherwise they are in
  /// `of_batch`.
  template <class Pool>
  void add_slots(const Pool& pool, int count, T* gradient, T fraction) {
    constexpr int packs = Ops::arena_size / lanes;
    const int parts = Ops::arena_size < least_shared_numbers ? 1 : pool.size();
    if (at_once && fraction == T(0)) return;
    [[maybe_unused]] const Watch<Isa> watch(Part::gradient_sum);
    pool.run(parts, [&](int thread, int part) {
      V square(0);
      const auto give = [&](V sum, T* to) SINTER_LAMBDA {
        square = fn::fma(sum, sum, square);
        sum.store(to);
      };
      const int from = static_cast<int>(part_of(packs, part, parts)) * lanes,
                to = static_cast<int>(part_of(packs, part + 1, parts)) * lanes;
      const int levels = levels_of(count);
      const T* gradients[Parts::most];
      for (int n = 0; n < count; ++n) gradients[n] = self().slot(n);
      for_each_stretch<false>([&](int begin, int end, int place) {
        for (int i = std::max(begin, from), next = i; i < std::min(end, to); i = next) {
          V sum[block / lanes];
          sum_of_slots<Isa, block / lanes>(gradients, levels, 0, count, place + (i - begin), sum);
          next = std::min({i + block, end, to});
          for (int k = 0; k < next - i; k += lanes)
            give(earlier(gradient + i + k, fraction) + sum[k / lanes], gradient + i + k);
        }
      });
      if (fraction != T(0))
        for_each_stretch<true>([&](int begin, int end, int) {
          for (int i = std::max(begin, from); i < std::min(end, to); i += lanes)
            give(earlier(gradient + i, fraction) + V::load(self().of_batch.data() + i), gradient + i);
        });
      self().squares.add(thread, square);
    });
  }

 private:
  Memory& self() { return static_cast<Memory&>(*this); }

  /// Levels of the tree of so many slots.
  static int levels_of(int count) {
    int levels = 0;
    while (1 << levels < count) ++levels;
    return levels;
  }
};

}  // namespace host_kernels

SINTER_NAMESPACE_END
