// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>

#include "sinter/core/finite.hpp"
#include "sinter/kernels/gpu/carried.hpp"
#include "sinter/kernels/gpu/plan.hpp"
#include "sinter/kernels/gpu/status.hpp"
#include "sinter/kernels/gpu/step_range.hpp"
#include "sinter/kernels/gpu/update.hpp"

SINTER_NAMESPACE_BEGIN

namespace gpu_kernels {

/// The layout of a resident block's memory, in bytes. The state of the optimizer, which is read once for a step, stays
/// in device memory where rows would otherwise not fit on the same devices. A large network leaves room for few rows.
template <class Model, class T, int States>
struct ResidentMemory {
  static constexpr std::size_t arena_bytes = static_cast<std::size_t>(Program<Model>::arena_size) * sizeof(T);
  static constexpr std::size_t loss_at = 0, parameters_at = round_up((1 + head_count<Model>)*sizeof(double)),
                               gradient_at = parameters_at + arena_bytes, state_at = gradient_at + arena_bytes;
  static constexpr int expected_rows =
      state_at + TeamMemory<Model, T, true, Expected::resident>::bytes(Expected::resident) <= most_shared_memory
          ? Expected::resident
          : Expected::large;
  using Team = TeamMemory<Model, T, true, expected_rows>;
  static constexpr bool holds_state = [] {
    const std::size_t without = state_at + Team::bytes(Expected::large);
    return smallest_block(without + States * arena_bytes) == smallest_block(without) && smallest_block(without) != 0;
  }();
  static constexpr std::size_t team_at = state_at + (holds_state ? States * arena_bytes : 0);
  SINTER_HOST_DEVICE static constexpr std::size_t bytes(int rows) { return team_at + Team::bytes(rows); }
  static constexpr int rows_in(std::size_t limit) { return limit < team_at ? 0 : Team::rows_in(limit - team_at); }
};

/// What one block trains.
template <class T, class Update>
struct ResidentRun {
  StepRange range;        // with 0 steps nothing is changed
  int rows;               // in shared memory at a time
  const Update* updates;  // [changes][groups]
  T* parameters;
  T* gradient;  // takes the last one
  T* state;
  double* losses;  // [steps][loss_sums<Loss>], sums over the rows
  StepStatus* status;
  Carried<T> carried{};  // of the first step of a sequence
};

/// Steps of training in one launch: a block has a network, its gradient, the state of the optimizer and some samples in
/// shared memory, and processes the batches of an epoch. Other blocks have other networks, so no block waits.
template <class Model, class T, class Data, class Loss, class Update, int States>
struct Resident {
  using Memory = ResidentMemory<Model, T, States>;
  static constexpr int expected = Memory::expected_rows;
  using List = Phases<Model, true, false, expected>;
  using Member = ResidentRun<T, Update>;
  static constexpr bool whole_grid = false;
  static constexpr int threads = 512;
  static constexpr std::size_t least_memory = Memory::bytes(1);
  static constexpr int arena = Program<Model>::arena_size, together = 4, heads = static_cast<int>(heads_of_loss<Loss>);
  static constexpr std::uint32_t sums_of_step = loss_sums<Loss>;
  static_assert(arena % together == 0 && parameter_alignment % together == 0);

  struct Args {
    StepInput<Data, Loss> step;
    int groups;
    const std::uint8_t* group_of;  // as in ApplyUpdate
    const Member* members;         // [blocks]
  };

  /// Whether a number of the gradient that this thread looks at is not finite.
  template <class X, class Gradient>
  SINTER_FN static bool finds_bad(X& x, const Gradient& gradient) {
    bool bad = false;
    x.items(arena / together, [&](int i) {
      T g[together];
      executor::read_together(gradient + i * together, g);
      SINTER_UNROLL
      for (int k = 0; k < together; ++k) bad |= !is_finite(g[k]);
    });
    return bad;
  }

  template <class X>
  SINTER_FN static void run(X& x, const Args& a) {
    const int block = x.block();
    const Member own = a.members[block];
    if (own.range.steps == 0 || has_stopped(x, own.status)) return;
    const auto parameters = x.template memory<T>(Memory::parameters_at);
    const auto gradient = x.template memory<T>(Memory::gradient_at);
    const auto loss = x.template memory<double>(Memory::loss_at);
    const auto far_state = x.global(own.state);
    const auto state = [&] {
      if constexpr (Memory::holds_state)
        return x.template memory<T>(Memory::state_at);
      else
        return far_state;
    }();
    x.items(arena, [&](int i) {
      parameters[i] = T(x.global(own.parameters)[i]);
      gradient[i] = T(0);
      if constexpr (Memory::holds_state)
        for (int s = 0; s < States; ++s) state[s * arena + i] = T(far_state[s * arena + i]);
    });
    x.barrier();

    std::uint32_t applied = 0;
    bool stopped = false;
    for (std::uint32_t n = 0; n < own.range.steps && !stopped; ++n) {
      const auto place = own.range.at(n);
      const int count = place.rows;
      auto step = a.step;
      step.epoch = place.epoch;
      const Carried<T> carried = own.carried.at(place.chunk);
      for (int begin = 0; begin < count; begin += own.rows) {
        auto tile = place_tile<Tile<X, Model, T, true, false, expected>>(x, nullptr, own.rows, Memory::team_at);
        tile.first = static_cast<int>(place.first) + begin;
        tile.scale = T(1) / static_cast<T>(count);
        tile.rows = count - begin < own.rows ? count - begin : own.rows;
        tile.adds = begin > 0;
        tile.parameters = parameters;
        tile.gradient = gradient;
        carried.give(x, tile, begin);
        discard_tile(x, tile, own.rows);
        run_phases<List>(x, tile, step);
        x.items(1, [&](int) { loss[0] = sum_losses(tile, tile.adds ? double(loss[0]) : 0.0); });
        if constexpr (heads > 0)
          x.items(heads, [&](int h) { loss[1 + h] = sum_losses(tile, tile.adds ? double(loss[1 + h]) : 0.0, 1 + h); });
        x.barrier();
      }
      bool bad = finds_bad(x, gradient);
      x.items(1, [&](int) {
        const double sum = loss[0];
        x.global(own.losses)[n * sums_of_step] = sum;
        bad |= !is_finite(sum);
      });
      if constexpr (heads > 0)
        x.items(heads, [&](int h) { x.global(own.losses + n * sums_of_step)[1 + h] = double(loss[1 + h]); });
      stopped = x.any(bad);
      if (stopped) break;
      const Update* updates =
          executor::in_global(own.updates + static_cast<std::ptrdiff_t>(own.range.changes.at(n)) * a.groups);
      x.items(arena / together, [&](int i) {
        const int group = a.group_of == nullptr ? 0 : a.group_of[i * together];
        if (group != frozen)
          update_weights<States, together>(Update(updates[group]), arena, i * together, parameters, gradient, state);
      });
      ++applied;
      x.barrier();
    }

    x.items(arena, [&](int i) {
      x.global(own.parameters)[i] = T(parameters[i]);
      x.global(own.gradient)[i] = T(gradient[i]);
      if constexpr (Memory::holds_state)
        for (int s = 0; s < States; ++s) far_state[s * arena + i] = T(state[s * arena + i]);
    });
    x.once([&] {
      const auto steps = x.global(&own.status->steps);
      x.global(&own.status->stopped)[0] = stopped ? 1u : 0u;
      steps[0] = std::uint32_t(steps[0]) + applied;
    });
  }
};

}  // namespace gpu_kernels

SINTER_NAMESPACE_END
