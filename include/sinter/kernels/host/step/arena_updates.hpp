// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <atomic>

#include "sinter/core/pack.hpp"
#include "sinter/device/thread_pool.hpp"
#include "sinter/kernels/apply_optimizer.hpp"
#include "sinter/kernels/host/step/batch_parts.hpp"
#include "sinter/kernels/host/step/squares.hpp"
#include "sinter/kernels/host/step/update.hpp"
#include "sinter/kernels/host/step/watch.hpp"
#include "sinter/kernels/trial_update.hpp"

SINTER_NAMESPACE_BEGIN

namespace host_kernels {

/// Updates of the arena of any model: ranges of whole registers, shared by the threads of a pool. Optimizers have the
/// widest registers, since they have roots and quotients under way.
template <class Isa, class T>
struct ArenaUpdates {
  using Wide = Pack<T, std::max(1, Isa::wide_bytes / static_cast<int>(sizeof(T)))>;
  static_assert(parameter_alignment % Wide::lanes == 0);

  ArenaLayout layout;
  const detail::ThreadPool& pool;

  /// Returns whether all numbers that the optimizer has written are known to be below 2^40.
  template <class Optimizer>
  SINTER_SHARED bool apply(const UpdateStep<Optimizer>& update, const Arenas<T>& arenas) const {
    [[maybe_unused]] const Watch<Isa> watch(Part::update);
    std::atomic<bool> moderate{true};
    apply_optimizer(Watched{*this, moderate}, layout, update, arenas);
    return moderate.load();
  }
  /// Whether all weights and states would be finite after it.
  template <class Optimizer>
  SINTER_SHARED bool is_finite(const UpdateStep<Optimizer>& update, const Arenas<const T>& arenas,
                               bool gradient_is_moderate) const {
    [[maybe_unused]] const Watch<Isa> watch(Part::soundness);
    return update_is_finite(*this, layout, update, arenas, gradient_is_moderate);
  }

  /// Whether gradient and weights are finite, and stay so. Numbers that kernels noted to be moderate as they wrote them
  /// are not read again.
  template <class Optimizer>
  SINTER_SHARED bool is_sound(const UpdateStep<Optimizer>& update, const Arenas<T>& arenas, bool gradient_is_moderate,
                              bool weights_are_moderate) const {
    if (gradient_is_moderate && weights_are_moderate && is_moderate(update)) return true;
    return (gradient_is_moderate || all_finite(arenas.gradient, static_cast<std::size_t>(layout.size))) &&
           is_finite(update, Arenas<const T>{arenas.parameters, arenas.gradient, arenas.state}, gradient_is_moderate);
  }

  /// work(begin, end) over ranges of the arena.
  template <class Work>
  void for_each_range(Work&& work) const {
    const int parts = layout.size < least_shared_numbers ? 1 : pool.size(), packs = layout.size / Wide::lanes;
    if (parts == 1 && layout.size > 0) work(0, layout.size);
    if (parts == 1) return;
    pool.run(parts, [&](int, int part) {
      work(static_cast<int>(part_of(packs, part, parts)) * Wide::lanes,
           static_cast<int>(part_of(packs, part + 1, parts)) * Wide::lanes);
    });
  }
  template <int States, class Update>
  static T update_numbers(const Update& step, T* parameters, const T* gradient, T* state, int stride, int begin,
                          int end) {
    return host_kernels::update_numbers<States, Isa, Wide>(step, parameters, gradient, state, stride, begin, end);
  }

 private:
  /// Records whether all numbers written are moderate.
  struct Watched {
    const ArenaUpdates& updates;
    std::atomic<bool>& moderate;

    template <class Work>
    void for_each_range(Work&& work) const {
      updates.for_each_range(work);
    }
    template <int States, class Update>
    void update(const Update& step, T* parameters, const T* gradient, T* state, int begin, int end) const {
      const T squares = update_numbers<States>(step, parameters, gradient, state, updates.layout.size, begin, end);
      if (!squares_of_moderate(squares)) moderate.store(false, std::memory_order_relaxed);
    }
  };
};

}  // namespace host_kernels

SINTER_NAMESPACE_END
