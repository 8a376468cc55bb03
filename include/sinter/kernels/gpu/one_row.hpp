// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

#include "sinter/core/unroll.hpp"
#include "sinter/kernels/gpu/phases.hpp"
#include "sinter/kernels/gpu/plan.hpp"
#include "sinter/kernels/gpu/thread_executor.hpp"

SINTER_NAMESPACE_BEGIN

namespace gpu_kernels {

/// A row through a network by one thread, in memory of its own. With `Backward`, what the adjoint reads is kept.
template <class Model, class T, bool Backward, class Isa>
class OneRow {
  using List = Phases<Model, Backward, Backward, Expected::alone>;
  using Memory = TeamMemory<Model, T, Backward, Expected::alone>;
  using Thread = executor::Thread<Isa>;
  using Tile = gpu_kernels::Tile<Thread, Model, T, Backward, Backward, Expected::alone>;
  using S = Stages<Model, cut_of<Model, Backward>>;

 public:
  static constexpr std::size_t bytes = Memory::bytes(1);

  SINTER_FN OneRow(std::byte* memory, const T* parameters) : thread_(memory) {
    tile_ = place_tile<Tile>(thread_, nullptr, 1);
    tile_.rows = 1;
    tile_.parameters = executor::in_global(parameters);
  }

  /// x [input] is scaled as a dataset's rows are.
  SINTER_FN void forward(const T* x, T scale, T shift) {
    for (int i = 0; i < S::inputs; ++i) tile_.records[i] = fma(x[i], scale, shift);
    if constexpr (Backward) keep_all();
    run_those([](Phase::Kind kind) {
      return kind == Phase::moment_parts || kind == Phase::moments || kind == Phase::forward ||
             kind == Phase::forward_sum;
    });
  }
  SINTER_FN void outputs(T* y) const {
    constexpr int at = Tile::Record::template value<Program<Model>::output_value>;
    for (int i = 0; i < S::outputs; ++i) y[i] = tile_.records[at + i];
  }

  /// dx [input] = J^T dy [output], where J is the Jacobian matrix of the outputs at the x of `forward`.
  SINTER_FN void backward(const T* dy, T* dx) {
    for (int i = 0; i < S::outputs; ++i) tile_.records[Tile::Record::output_gradient + i] = dy[i];
    tile_.to_input = dx;
    run_those([](Phase::Kind kind) {
      return kind == Phase::output || kind == Phase::slope_parts || kind == Phase::slopes || kind == Phase::row ||
             kind == Phase::input || kind == Phase::input_sum;
    });
  }

 private:
  struct Nothing {};

  /// The phases of those kinds, in their order.
  template <class Wanted>
  SINTER_FN void run_those(Wanted) {
    unroll<List::count>([&](auto i) SINTER_LAMBDA {
      constexpr int Index = decltype(i)::value;
      if constexpr (Wanted{}(List::template at<Index>.kind)) run_phase<List, Index>(thread_, tile_, Nothing{});
    });
  }
  /// Masks are those of inference: nothing is dropped.
  SINTER_FN void keep_all() {
    unroll<S::op_count>([&](auto i) SINTER_LAMBDA {
      constexpr int Index = decltype(i)::value;
      using O = OpConstants<Model, Index>;
      if constexpr (O::op.kind == OpKind::mask)
        for (int k = 0; k < O::decisions; ++k) tile_.records[Tile::Record::template mask<Index> + k] = T(1);
    });
  }

  Thread thread_;
  Tile tile_;
};

}  // namespace gpu_kernels

SINTER_NAMESPACE_END
