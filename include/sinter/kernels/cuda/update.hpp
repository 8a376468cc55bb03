// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>

#include "sinter/data/finite.hpp"
#include "sinter/kernels/apply_optimizer.hpp"
#include "sinter/kernels/cuda/executor.hpp"
#include "sinter/kernels/cuda/status.hpp"
#include "sinter/model/program.hpp"

SINTER_NAMESPACE_BEGIN

namespace gpu_kernels {
using fn::fma, fn::product, fn::select;

/// The second kernel of a step: adds the slots to the gradient, and the losses; each block notes whether what it made is
/// finite. A number is added up in `parts` parts, slot part, part + parts, .., and these in their order: so many threads
/// wait for slots at the same time.
template <class T>
struct Combine {
  static constexpr bool wide = false;
  static constexpr int parts = 4, columns = 64, threads = parts * columns;
  static constexpr std::size_t memory = threads * sizeof(T);

  struct Args {
    const T* slots;  // [count][arena]
    int count, arena;
    T* gradient;
    T share;               // of the gradient that is there; 0: it is overwritten
    const double* losses;  // [count]
    double* loss;          // their sum
    std::uint32_t* bad;    // [blocks]
    int blocks;
    const Status* status;
  };
  static constexpr int blocks_for(int arena) {
    const int most = 528, wanted = divide_up(arena, columns);
    return wanted < 1 ? 1 : wanted < most ? wanted : most;
  }

  template <class X>
  SINTER_FN static void run(X& x, const Args& a) {
    if (has_stopped(x, a.status)) return;
    const auto gradient = x.global(a.gradient);
    const auto sums = x.template memory<T>(0);
    const int block = x.block();
    bool bad = false;
    for (int first = block * columns; first < a.arena; first += a.blocks * columns) {
      const int here = a.arena - first < columns ? a.arena - first : columns;
      x.items(threads, [&](int t) {
        if (t % columns < here) sums[t] = add<T>(x, a.slots + (first + t % columns), a.arena, t / columns, a.count);
      });
      x.barrier();
      x.items(here, [&](int column) {
        const int i = first + column;
        T sum = a.share == T(0) ? T(0) : product(T(gradient[i]), a.share);
        for (int part = 0; part < parts; ++part) sum += T(sums[part * columns + column]);
        gradient[i] = sum;
        bad |= !is_finite(sum);
      });
      x.barrier();
    }
    if (block == 0) {
      const auto losses = x.template memory<double>(0);
      x.items(parts, [&](int part) { losses[part] = add<double>(x, a.losses, 1, part, a.count); });
      x.barrier();
      x.items(1, [&](int) {
        double sum = 0;
        for (int part = 0; part < parts; ++part) sum += double(losses[part]);
        x.global(a.loss)[0] = sum;
        bad |= !is_finite(sum);
      });
    }
    const bool any = x.any(bad);
    x.once([&] { x.global(a.bad)[block] = any ? 1u : 0u; });
  }

 private:
  /// from[part * stride] + from[(part + parts) * stride] + ..
  template <class Number, class X>
  SINTER_FN static Number add(X& x, const Number* from, int stride, int part, int count) {
    const auto all = x.global(from);
    Number sum = 0;
    SINTER_UNROLL_BY(16)
    for (int slot = part; slot < count; slot += parts) sum += Number(all[static_cast<std::ptrdiff_t>(slot) * stride]);
    return sum;
  }
};

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

/// The third: the optimizer on every weight, unless something was not finite.
template <class Update, int States>
struct ApplyUpdate {
  static constexpr bool wide = true;
  static constexpr int threads = 256;
  using T = typename Update::Number;

  struct Args {
    const Update* updates;         // [groups]
    const std::uint8_t* group_of;  // [arena] which update, or `frozen`; null: the first
    int arena;
    T* parameters;
    const T* gradient;
    T* state;  // [States][arena]
    const std::uint32_t* bad;
    int blocks;      // of the kernel that wrote them
    Status* status;  // null: always
  };

  template <class X>
  SINTER_FN static void run(X& x, const Args& a) {
    const auto flags = x.global(a.bad);
    bool found = false;
    x.items_of_block(a.blocks, [&](int b) { found |= std::uint32_t(flags[b]) != 0; });
    const bool bad = x.any(found);
    if (a.status != nullptr)
      x.items(1, [&](int) {
        const auto steps = x.global(&a.status->steps);
        if (bad)
          x.global(&a.status->stopped)[0] = 1u;
        else
          steps[0] = std::uint32_t(steps[0]) + 1;
      });
    if (bad) return;
    const auto parameters = x.global(a.parameters);
    const auto gradient = x.global(a.gradient);
    const auto state = x.global(a.state);
    x.items(a.arena, [&](int i) {
      const int group = a.group_of == nullptr ? 0 : a.group_of[i];
      if (group != frozen) update_weights<States, 1>(a.updates[group], a.arena, i, parameters, gradient, state);
    });
  }
};

}  // namespace gpu_kernels

SINTER_NAMESPACE_END
