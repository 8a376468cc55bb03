// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <vector>

#include "sinter/core/finite.hpp"
#include "sinter/kernels/apply_optimizer.hpp"

SINTER_NAMESPACE_BEGIN

/// Replaces an engine of the host while an optimizer runs over the arenas to see its result: it writes nothing, so
/// nothing must be undone.
template <class Engine, class T>
struct TrialUpdate {
  const Engine& engine;
  int arena_size;
  std::atomic<bool>& finite;

  template <class Work>
  void for_each_range(Work&& work) const {
    engine.for_each_range(work);
  }
  template <int States, class Update>
  void update(const Update& step, const T* parameters, const T* gradient, const T* state, int begin, int end) const {
    constexpr int most = 256;
    alignas(64) T weight[most], own[(States > 0 ? States : 1) * most];
    for (int first = begin; first < end; first += most) {
      const int n = std::min(most, end - first);
      std::copy_n(parameters + first, n, weight);
      for (int s = 0; s < States && uses_state(step); ++s)
        std::copy_n(state + static_cast<std::ptrdiff_t>(s) * arena_size + first, n, own + s * most);
      engine.template update_numbers<States>(step, weight, gradient + first, own, most, 0, n);
      bool all = all_finite(weight, static_cast<std::size_t>(n));
      for (int s = 0; s < States && uses_state(step); ++s)
        all = all && all_finite(own + s * most, static_cast<std::size_t>(n));
      if (!all) finite.store(false, std::memory_order_relaxed);
    }
  }
};

/// Whether an update of weights, gradients and states below 2^40 results in finite ones, whatever they are: optimizers
/// say so of their options. Then checking the numbers is enough, and no trial is needed.
template <class Optimizer>
bool is_moderate(const UpdateStep<Optimizer>& update) {
  if constexpr (requires {
                  requires StatesFacts<Optimizer>;
                  update.optimizer.moderate();
                }) {
    Optimizer optimizer = update.optimizer;
    if constexpr (requires { optimizer.rate(update.step); }) optimizer.lr = optimizer.rate(update.step);
    const double factor = update.factors.empty() ? 1 : *std::max_element(update.factors.begin(), update.factors.end());
    optimizer.lr *= std::max(1.0, factor);
    return optimizer.lr >= 0 && optimizer.moderate();
  } else {
    return false;
  }
}

/// Whether all weights and states would be finite after the update that apply_optimizer makes. Numbers of the gradient
/// that are known to be below 2^40 are not checked again.
template <class T, class Engine, class Optimizer>
bool update_is_finite(const Engine& engine, ArenaLayout layout, const UpdateStep<Optimizer>& update,
                      const Arenas<const T>& arenas, bool gradient_is_moderate = false) {
  if (is_moderate(update)) {
    std::atomic<bool> all_below{true};
    engine.for_each_range([&](int begin, int end) {
      const auto all_moderate = [&](const T* x) {
        return largest_exponent(x + begin, static_cast<std::size_t>(end - begin)) < exponent_of<T>(40);
      };
      bool range = all_moderate(arenas.parameters) && (gradient_is_moderate || all_moderate(arenas.gradient));
      if (uses_state(update.optimizer.template at<T>(update.step)))
        for (int s = 0; s < Optimizer::states; ++s)
          range = range && all_moderate(arenas.state + static_cast<std::ptrdiff_t>(s) * layout.size);
      if (!range) all_below.store(false, std::memory_order_relaxed);
    });
    if (all_below.load()) return true;
  }
  std::atomic<bool> finite{true};
  apply_optimizer(TrialUpdate<Engine, T>{engine, layout.size, finite}, layout, update, arenas);
  return finite.load();
}

SINTER_NAMESPACE_END
