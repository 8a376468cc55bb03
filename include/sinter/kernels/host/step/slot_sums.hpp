// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>

#include "sinter/kernels/host/plan/slot_places.hpp"
#include "sinter/kernels/host/stages/batch_gradient.hpp"
#include "sinter/kernels/host/step/batch_parts.hpp"
#include "sinter/kernels/host/step/sum_of_slots.hpp"
#include "sinter/kernels/host/step/watch.hpp"

SINTER_NAMESPACE_BEGIN

namespace host_kernels {

/// Numbers [begin, end) of the arena whose gradients slots add up, or that are computed from the whole batch; `place`
/// in a slot.
struct Stretch {
  int begin, end, place;
  /// The part of it in [from, to).
  constexpr Stretch within(int from, int to) const {
    const int first = std::max(begin, from);
    return {first, std::min(end, to), place + (first - begin)};
  }
};
template <int Most>
struct Stretches {
  std::array<Stretch, static_cast<std::size_t>(Most + 1)> all{};
  std::size_t count = 0;
  constexpr const Stretch* begin() const { return all.data(); }
  constexpr const Stretch* end() const { return all.data() + count; }
};
/// The remaining fraction of the gradient of earlier batches.
template <class V, class T>
SINTER_INLINE V earlier(const T* gradient, T fraction) {
  return fraction == T(0) ? V(0) : product(V::load(gradient), V(fraction));
}
/// Numbers that are added together; slots have room for as many after the last.
inline constexpr int slot_block = 64;

/// gradient = fraction * gradient + the sum of the slots by their tree, each element. Its squares are added to
/// `squares`.
template <class Isa, class V, class T>
SINTER_SHARED void add_slots_of(Stretch of, const T* const* gradients, int levels, int count, T* gradient, T fraction,
                                V& squares) {
  V square = squares;
  for (int i = of.begin, next = i; i < of.end; i = next) {
    V sum[slot_block / V::lanes];
    sum_of_slots<Isa, slot_block / V::lanes>(gradients, levels, 0, count, of.place + (i - of.begin), sum);
    next = std::min(i + slot_block, of.end);
    for (int k = 0; k < next - i; k += V::lanes) {
      const V total = earlier<V>(gradient + i + k, fraction) + sum[k / V::lanes];
      square = fn::fma(total, total, square);
      total.store(gradient + i + k);
    }
  }
  squares = square;
}
/// The same with the gradient of the batch in place of the slots.
template <class Isa, class V, class T>
SINTER_SHARED void add_batch_of(Stretch of, const T* batch, T* gradient, T fraction, V& squares) {
  V square = squares;
  for (int i = of.begin; i < of.end; i += V::lanes) {
    const V total = earlier<V>(gradient + i, fraction) + V::load(batch + i);
    square = fn::fma(total, total, square);
    total.store(gradient + i);
  }
  squares = square;
}

/// Both for the numbers [from, to) of the arena: `of_slots` and `of_batch` are the stretches of each kind.
template <class Isa, class V, class T>
SINTER_SHARED V add_stretches(std::span<const Stretch> of_slots, std::span<const Stretch> of_batch, int from, int to,
                              const T* const* sums, int count, const T* batch, T* gradient, T fraction) {
  int levels = 0;  // of the tree of so many sums
  while (1 << levels < count) ++levels;
  V squares(0);
  for (const Stretch& of : of_slots)
    add_slots_of<Isa>(of.within(from, to), sums, levels, count, gradient, fraction, squares);
  if (fraction != T(0))
    for (const Stretch& of : of_batch) add_batch_of<Isa>(of.within(from, to), batch, gradient, fraction, squares);
  return squares;
}

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
  static constexpr int block = slot_block;

  /// The stretches of the arena whose gradients slots add up, or of the others.
  template <bool OfBatch>
  static constexpr auto stretches = [] {
    Stretches<Ops::parameter_count> found;
    for (int i = 0; i < Ops::parameter_count;) {
      const int begin = i;
      while (i < Ops::parameter_count && Plan::parameter_of_batch(i) == Plan::parameter_of_batch(begin)) ++i;
      if (Plan::parameter_of_batch(begin) == OfBatch)
        found.all[found.count++] = {Plan::parameter(begin).offset, end_of_parameter<Plan>(i - 1),
                                    slot_places<Plan>[static_cast<std::size_t>(begin)]};
    }
    return found;
  }();
  static void clear(T* slot) {
    [[maybe_unused]] const Watch<Isa> watch(Part::slot_sums);
    std::fill_n(slot, slot_size<Plan>, T(0));
  }
  static void add(const T* from, T* to) {
    [[maybe_unused]] const Watch<Isa> watch(Part::slot_sums);
    for (int i = 0; i < slot_size<Plan>; i += lanes) (V::load(to + i) + V::load(from + i)).store(to + i);
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
      const int from = static_cast<int>(part_of(packs, part, parts)) * lanes,
                to = static_cast<int>(part_of(packs, part + 1, parts)) * lanes;
      const T* const batch = self().of_batch.data();
      V squares(0);
      if constexpr (at_once) {
        for (const Stretch& of : stretches<true>)
          add_batch_of<Isa>(of.within(from, to), batch, gradient, fraction, squares);
      } else {
        const T* gradients[Parts::most];
        for (int n = 0; n < count; ++n) gradients[n] = self().slot(n);
        const auto &of_slots = stretches<false>, &of_batch = stretches<true>;
        squares = add_stretches<Isa, V>({of_slots.begin(), of_slots.end()}, {of_batch.begin(), of_batch.end()}, from,
                                        to, gradients, count, batch, gradient, fraction);
      }
      self().squares.add(thread, squares);
    });
  }

 private:
  Memory& self() { return static_cast<Memory&>(*this); }
};

}  // namespace host_kernels

SINTER_NAMESPACE_END
