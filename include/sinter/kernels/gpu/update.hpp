// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>

#include "sinter/core/finite.hpp"
#include "sinter/core/pack.hpp"
#include "sinter/kernels/apply_optimizer.hpp"
#include "sinter/kernels/gpu/executor.hpp"
#include "sinter/kernels/gpu/slot_sums.hpp"
#include "sinter/kernels/gpu/status.hpp"
#include "sinter/kernels/gpu/step_range.hpp"
#include "sinter/kernels/gpu/train_tiles.hpp"
#include "sinter/model/program.hpp"

SINTER_NAMESPACE_BEGIN

namespace gpu_kernels {

inline constexpr int frozen = 255;

/// The optimizer on N weights from i on, which are read and written together; `state` is [States][arena].
template <int States, int N, class Update, class Weights, class Gradient, class State>
SINTER_FN void update_weights(const Update& update, int arena, int i, const Weights& parameters,
                              const Gradient& gradient, const State& state) {
  using T = typename Update::Number;
  constexpr int states = States > 0 ? States : 1;
  const int used = uses_state(update) ? States : 0;
  T weight[N], g[N], kept[states][N] = {};
  executor::read_together(parameters + i, weight);
  executor::read_together(gradient + i, g);
  SINTER_UNROLL
  for (int s = 0; s < States; ++s)
    if (s < used) executor::read_together(state + (static_cast<std::ptrdiff_t>(s) * arena + i), kept[s]);
  SINTER_UNROLL
  for (int k = 0; k < N; ++k) {
    T own[states];
    SINTER_UNROLL
    for (int s = 0; s < states; ++s) own[s] = kept[s][k];
    update(weight[k], g[k], own);
    SINTER_UNROLL
    for (int s = 0; s < states; ++s) kept[s][k] = own[s];
  }
  executor::write_together(parameters + i, weight);
  SINTER_UNROLL
  for (int s = 0; s < States; ++s)
    if (s < used) executor::write_together(state + (static_cast<std::ptrdiff_t>(s) * arena + i), kept[s]);
}

/// The same on the first `count` of N weights that are `Apart` numbers apart: all are read before one is written.
template <int States, int N, int Apart, class Update, class Weights, class State>
SINTER_FN void update_apart(const Update& update, int arena, int i, int count, const Weights& parameters,
                            const typename Update::Number (&g)[N], const State& state) {
  using T = typename Update::Number;
  constexpr int states = States > 0 ? States : 1;
  const int used = uses_state(update) ? States : 0;
  T weight[N] = {}, kept[N][states] = {};
  SINTER_UNROLL
  for (int k = 0; k < N; ++k) {
    if (k >= count) continue;
    weight[k] = parameters[i + k * Apart];
    SINTER_UNROLL
    for (int s = 0; s < States; ++s)
      if (s < used) kept[k][s] = state[static_cast<std::ptrdiff_t>(s) * arena + i + k * Apart];
  }
  SINTER_UNROLL
  for (int k = 0; k < N; ++k) update(weight[k], g[k], kept[k]);
  SINTER_UNROLL
  for (int k = 0; k < N; ++k) {
    if (k >= count) continue;
    parameters[i + k * Apart] = weight[k];
    SINTER_UNROLL
    for (int s = 0; s < States; ++s)
      if (s < used) state[static_cast<std::ptrdiff_t>(s) * arena + i + k * Apart] = kept[k][s];
  }
}

/// The last kernel of a step: the gradient, which it adds up from the slots, and the optimizer on every weight, unless
/// a sum is not finite. The tiles have noted whether a sum may be: only where numbers are very large does each block
/// add up everything, so that all blocks decide alike. Where the loss has `Heads`, it adds up those of each, too.
template <class Update, int States, int Heads = 0>
struct ApplyUpdate {
  static constexpr bool whole_grid = false;
  static constexpr std::uint32_t sums_of_step = 1 + Heads;
  using T = typename Update::Number;
  static constexpr int threads = SlotSums<T>::threads;
  static constexpr std::size_t memory = SlotSums<T>::memory;

  struct Args {
    SlotSums<T> sums;  // with none, the existing gradient is used
    int last_count;    // of the slots, of the last batch of an epoch
    const std::uint32_t* large;
    int flags;   // how many of these; 0: one for each slot
    int blocks;  // that update; one more takes the losses, where there is a status
    T* gradient;
    const Update* updates;         // [changes][groups]
    const std::uint8_t* group_of;  // [arena] which of a change's updates, or `frozen`; null: the first
    int groups;
    T* parameters;
    T* state;  // [States][arena]
    // The buffers after this batch; they follow the parameters.
    const T* statistics;  // [buffers]
    int buffers;
    // Which step this is. Null: the only one, and its outcome is not recorded.
    StepStatus* status;
    const Changes* changes;
    const StepRange* range;  // null: each step has the same rows
    Epoch* epoch;            // whose masks are keyed by the number of steps tried; null: none
    double* losses;          // [kept_losses][1 + Heads] of the steps tried
    std::uint32_t kept_losses;
    bool stops;  // training, where something was not finite; else only that step is left out
  };

  template <class X>
  SINTER_FN static void run(X& x, const Args& a) {
    const int block = x.block();
    const std::uint32_t n = a.status == nullptr ? 0 : std::uint32_t(x.global(&a.status->now)[0]);
    if (n == StepStatus::none) return;
    SlotSums<T> sums = a.sums;
    if (a.range != nullptr && a.range->at(n).rows != static_cast<int>(a.range->batch)) sums.count = a.last_count;
    const bool adds = sums.count > 0;
    const auto gradient = x.global(a.gradient);

    const auto flags = x.global(a.large);
    bool found = false;
    x.items_of_block(a.flags > 0 ? a.flags : sums.count, [&](int b) { found |= std::uint32_t(flags[b]) != 0; });
    bool bad = x.any(found);
    if (bad) {
      found = false;
      x.items_of_block(sums.arena, [&](int i) { found |= !is_finite(adds ? sums.of(x, i) : T(gradient[i])); });
      if (adds) x.items_of_block(1, [&](int) { found |= !is_finite(sums.loss(x)); });
      bad = x.any(found);
    }

    const Update* updates = a.updates;
    if (a.changes != nullptr) updates += static_cast<std::ptrdiff_t>(a.changes->at(n)) * a.groups;
    const auto parameters = x.global(a.parameters);
    const auto state = x.global(a.state);
    const auto update = [&](int i) {
      const int group = a.group_of == nullptr ? 0 : a.group_of[i];
      if (!bad && group != frozen)
        update_weights<States, 1>(updates[group], sums.arena, i, parameters, gradient, state);
    };
    if (block == a.blocks) return take_losses(x, a, sums, bad);
    if (sums.count == 1 && !bad && a.group_of == nullptr)
      update_from_slot(x, a, Update(updates[0]));
    else if (adds)
      sums.each(
          x, block, a.blocks, [](int) { return T(0); },
          [&](int i, T sum) {
            gradient[i] = sum;
            update(i);
          });
    else
      for (int first = block * threads; first < sums.arena; first += a.blocks * threads)
        x.items(threads, [&](int t) {
          if (first + t < sums.arena) update(first + t);
        });
    for (int first = block * threads; first < a.buffers && !bad; first += a.blocks * threads)
      x.items(threads, [&](int t) {
        if (first + t < a.buffers) parameters[sums.arena + first + t] = T(x.global(a.statistics)[first + t]);
      });
  }

 private:
  /// From the only slot: nothing is added, and the reads of several weights of a thread overlap.
  template <class X>
  SINTER_FN static void update_from_slot(X& x, const Args& a, const Update& update) {
    constexpr int together = 4;
    const auto slot = x.global(a.sums.numbers);
    const auto gradient = x.global(a.gradient), parameters = x.global(a.parameters), state = x.global(a.state);
    const int arena = a.sums.arena;
    for (int first = x.block() * threads * together; first < arena; first += a.blocks * threads * together)
      x.items(threads, [&](int t) {
        const int begin = first + t, left = divide_up(arena - begin, threads);
        T g[together] = {};
        SINTER_UNROLL
        for (int k = 0; k < together; ++k)
          if (k < left) g[k] = slot[begin + k * threads];
        update_apart<States, together, threads>(update, arena, begin, left, parameters, g, state);
        SINTER_UNROLL
        for (int k = 0; k < together; ++k)
          if (k < left) gradient[begin + k * threads] = g[k];
      });
  }
  /// The losses and the outcome of the step, by the last block.
  template <class X>
  SINTER_FN static void take_losses(X& x, const Args& a, const SlotSums<T>& sums, bool bad) {
    for (int h = 0; h < Heads; ++h) {
      SlotSums<T> own = sums;
      own.losses += (1 + h) * Cut::most_slots;
      own.loss(x, [&](double loss) {
        const std::uint32_t number = x.global(&a.status->tried)[0];
        x.global(a.losses + number % a.kept_losses * sums_of_step)[1 + h] = loss;
      });
      x.barrier();
    }
    sums.loss(x, [&](double loss) { conclude(x, a, loss, bad); });
  }
  /// By one thread: records the outcome of the step.
  template <class X>
  SINTER_FN static void conclude(X& x, const Args& a, double loss, bool bad) {
    const auto tried = x.global(&a.status->tried), steps = x.global(&a.status->steps);
    const std::uint32_t number = tried[0];
    x.global(a.losses)[number % a.kept_losses * sums_of_step] = loss;
    tried[0] = number + 1;
    if (bad)
      x.global(&a.status->unsound)[0] = number + 1;
    else
      steps[0] = std::uint32_t(steps[0]) + 1;
    if (bad && a.stops) x.global(&a.status->stopped)[0] = 1u;
    if (a.epoch != nullptr) {
      const auto key = x.global(&a.epoch->key.step);
      key[0] = std::uint32_t(key[0]) + 1;
    }
  }
};

}  // namespace gpu_kernels

SINTER_NAMESPACE_END
