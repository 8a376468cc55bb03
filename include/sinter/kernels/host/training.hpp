// SPDX-License-Identifier: MIT
#pragma once

#include <type_traits>

#include "sinter/core/unroll.hpp"
#include "sinter/device/thread_pool.hpp"
#include "sinter/kernels/host/batch_passes.hpp"
#include "sinter/kernels/host/training_memory.hpp"
#include "sinter/kernels/step_arguments.hpp"

SINTER_NAMESPACE_BEGIN

namespace host_kernels {

/// The losses and gradients of batches, and the memory for them.
template <class Model, class T, class Isa>
class Training {
  using Memory = TrainingMemory<Model, T, Isa>;

 public:
  /// The buffers after a batch.
  RunningStatistics<Model, T>& statistics() { return memory_.statistics; }
  /// Whether the kernels that wrote the gradient saw that all its numbers are below 2^40. Else it is to be looked at.
  bool gradient_is_moderate() const { return memory_.squares.moderate(); }

  template <class Loss, class Inputs, class Targets, class InputGradient>
  double accumulate(const detail::ThreadPool& pool, const T* parameters, const TrainingBatch<Inputs, Targets>& batch,
                    const Loss& loss, const GradientSum<T, InputGradient>& to) {
    using Tile = host_kernels::Tile<TilePlan<Model, T, Isa, !std::is_null_pointer_v<InputGradient>>, true>;
    using Passes = BatchPasses<Memory, Tile, TrainingBatch<Inputs, Targets>, Loss, GradientSum<T, InputGradient>>;
    Passes passes{memory_, pool, parameters, batch, loss, to};
    passes.prepare();
    unroll<Passes::count>([&](auto p) { passes.template pass<decltype(p)::value>(); });
    if constexpr (panels_of_batch<typename Memory::Plan> > 0) passes.weight_gradients();
    memory_.add_slots(pool, passes.parts.count, to.gradient, to.share);
    passes.sum_losses_of_heads();
    return passes.sum_of_losses();
  }

 private:
  Memory memory_;
};

}  // namespace host_kernels

SINTER_NAMESPACE_END
