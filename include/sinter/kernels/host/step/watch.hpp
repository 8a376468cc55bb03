// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/core/macros.hpp"

SINTER_NAMESPACE_BEGIN

namespace host_kernels {

/// The parts of a training step of the host; kernels are those of a stage.
enum class Part : unsigned char {
  masks,
  load,
  forward,
  loss,
  weight_gradient,
  input_gradient,
  both_gradients,  // by one kernel
  batch_gradient,  // of a weight, from the whole batch
  batch_values,    // statistics of a batch, put together
  slot_sums,       // cleared and added by the thread that has the tiles; and weights packed
  gradient_sum,    // of the sums of the threads
  soundness,       // whether an update would be finite
  update
};

/// Constructed at the beginning of a part of a step, destroyed at its end. Empty: a program that measures specialises
/// it for an instruction set of its own, and trains on a HostFor of that (bench/support/profile.hpp).
template <class Isa>
struct Watch {
  SINTER_INLINE constexpr explicit Watch(Part, int = 0) {}
};

}  // namespace host_kernels

SINTER_NAMESPACE_END
