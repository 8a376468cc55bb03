// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

#include "sinter/kernels/host/stages/batch_gradient.hpp"
#include "sinter/kernels/host/step/batch_parts.hpp"
#include "sinter/kernels/host/step/squares.hpp"

SINTER_NAMESPACE_BEGIN

namespace host_kernels {

/// What a process computes of a batch: all of it, so nothing is exchanged. BatchOverRanks is the other implementation.
struct WholeBatch {
  static constexpr OwnRank own_rank() { return {}; }
  /// The number of threads that compute the batch; `here` is that of this process.
  static constexpr int threads(int here) { return here; }

  /// Before the first pass.
  template <class Passes>
  static void begin(const Passes&) {}
  /// After a pass: the sums of all tiles for a normalize op.
  template <class Passes>
  static void gather_partials(const Passes&, int /*normalize*/) {}
  /// Numbers for each row: takes those of the rows computed here, and returns all.
  template <class Parts, class Value>
  static void gather_rows(const Parts&, std::size_t /*batch*/, Value* /*rows*/) {}
  /// From now on, the inputs of rows that are computed elsewhere may be anything.
  static void expect_own_inputs_alone() {}
  /// After a forward pass without backward.
  template <class Passes>
  static void gather_outputs(const Passes&) {}
  /// After the last pass: the gradient of the batch, from what its tiles left.
  template <class Passes>
  static void add_gradients(const Passes& passes) {
    constexpr int panels = panels_of_batch<typename Passes::Plan>;
    if constexpr (panels > 0) passes.weight_gradients(0, panels);
    passes.memory.add_slots(passes.pool, passes.parts.sums(), passes.to.gradient, passes.to.fraction);
  }
  /// Whether the whole gradient is known to be moderate.
  template <class T>
  static bool moderate(const SquaresByThread<T>& squares) {
    return squares.moderate();
  }
};

}  // namespace host_kernels

SINTER_NAMESPACE_END
