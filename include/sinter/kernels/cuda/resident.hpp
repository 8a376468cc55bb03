// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>

#include "sinter/data/finite.hpp"
#include "sinter/kernels/cuda/plan.hpp"
#include "sinter/kernels/cuda/status.hpp"
#include "sinter/kernels/cuda/update.hpp"

SINTER_NAMESPACE_BEGIN

namespace gpu {

/// Where a resident block keeps a network: bytes from the beginning of its memory.
template <class Model, class T, int States>
struct ResidentMemory {
  static constexpr std::size_t arena_bytes = static_cast<std::size_t>(Program<Model>::arena_size) * sizeof(T);
  static constexpr std::size_t loss_at = 0, parameters_at = 16, gradient_at = parameters_at + arena_bytes,
                               state_at = gradient_at + arena_bytes, team_at = state_at + States * arena_bytes;
  using Team = TeamMemory<Model, T, true, Expected::resident>;
  SINTER_HOST_DEVICE static constexpr std::size_t bytes(int rows) { return team_at + Team::bytes(rows); }
  static constexpr int rows_in(std::size_t limit) { return limit < team_at ? 0 : Team::rows_in(limit - team_at); }
};

/// Steps of training in one launch: a block has the network, its gradient, the state of the optimizer and the samples
/// at hand in its own memory, and goes through the batches of an epoch. No other block, nothing to wait for.
template <class Model, class T, class Data, class Loss, class Update, int States>
struct Resident {
  using List = Phases<Model, true, false, Expected::resident>;
  using Memory = ResidentMemory<Model, T, States>;
  static constexpr bool wide = false;
  static constexpr int threads = 512;
  static constexpr std::size_t least_memory = Memory::bytes(1);
  static constexpr int arena = Program<Model>::arena_size;

  struct Args {
    StepInput<Data, Loss> step;
    std::uint32_t size, batch;     // rows of the dataset, of a step
    std::uint32_t done, of_epoch;  // steps of the first epoch that are done, of a whole one; step.epoch: the first
    int steps, rows;               // to make; that fit in memory
    const Update* updates;         // [steps][groups]
    int groups;
    const std::uint8_t* group_of;  // as in ApplyUpdate
    T* parameters;
    T* gradient;  // takes the last one
    T* state;
    double* losses;  // [steps], sums over the rows
    Status* status;
  };

  template <class X>
  SINTER_FN static void run(X& x, const Args& a) {
    if (has_stopped(x, a.status)) return;
    const auto parameters = x.template memory<T>(Memory::parameters_at);
    const auto gradient = x.template memory<T>(Memory::gradient_at);
    const auto state = x.template memory<T>(Memory::state_at);
    const auto loss = x.template memory<double>(Memory::loss_at);
    x.items(arena, [&](int i) {
      parameters[i] = T(x.global(a.parameters)[i]);
      gradient[i] = T(0);
      for (int s = 0; s < States; ++s) state[s * arena + i] = T(x.global(a.state)[s * arena + i]);
    });
    x.barrier();

    std::uint32_t applied = 0;
    bool stopped = false;
    for (int n = 0; n < a.steps && !stopped; ++n) {
      const std::uint32_t place = a.done + static_cast<std::uint32_t>(n), first = place % a.of_epoch * a.batch;
      const int count = static_cast<int>(a.batch < a.size - first ? a.batch : a.size - first);
      auto step = a.step;
      step.epoch += place / a.of_epoch;
      for (int begin = 0; begin < count; begin += a.rows) {
        auto tile = place_tile<Tile<X, Model, T, true, false, Expected::resident>>(x, nullptr, a.rows, Memory::team_at);
        tile.first = static_cast<int>(first) + begin;
        tile.scale = T(1) / static_cast<T>(count);
        tile.rows = count - begin < a.rows ? count - begin : a.rows;
        tile.adds = begin > 0;
        tile.parameters = parameters;
        tile.gradient = gradient;
        discard_tile(x, tile, a.rows);
        run_phases<List>(x, tile, step);
        x.items(1, [&](int) { loss[0] = sum_losses(tile, tile.adds ? double(loss[0]) : 0.0); });
        x.barrier();
      }
      bool bad = false;
      x.items(arena, [&](int i) { bad |= !is_finite(T(gradient[i])); });
      x.items(1, [&](int) {
        const double sum = loss[0];
        x.global(a.losses)[n] = sum;
        bad |= !is_finite(sum);
      });
      stopped = x.any(bad);
      if (stopped) break;
      const Update* updates = a.updates + n * a.groups;
      x.items(arena, [&](int i) {
        const int group = a.group_of == nullptr ? 0 : a.group_of[i];
        if (group != frozen) update_weight<States>(updates[group], arena, i, parameters, gradient, state);
      });
      ++applied;
      x.barrier();
    }

    x.items(arena, [&](int i) {
      x.global(a.parameters)[i] = T(parameters[i]);
      x.global(a.gradient)[i] = T(gradient[i]);
      for (int s = 0; s < States; ++s) x.global(a.state)[s * arena + i] = T(state[s * arena + i]);
    });
    x.once([&] {
      const auto steps = x.global(&a.status->steps);
      x.global(&a.status->stopped)[0] = stopped ? 1u : 0u;
      steps[0] = std::uint32_t(steps[0]) + applied;
    });
  }
};

}  // namespace gpu

SINTER_NAMESPACE_END
