// SPDX-License-Identifier: MIT
#pragma once

#include <type_traits>

#include "sinter/data/batch.hpp"
#include "sinter/device/engine.hpp"
#include "sinter/kernels/step_arguments.hpp"
#include "sinter/optimizer/clip_grad.hpp"
#include "sinter/train/batch_weight.hpp"
#include "sinter/train/given_batch.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {

/// Whether the device makes a whole step on a batch by itself, and the host does not wait for it.
template <class Loss, class Optimizer, class Engine, class Targets>
inline constexpr bool stepped_on_device = KeepsData<Engine> && !divides_by_classes<Loss> && !HasRowWeights<Targets> &&
                                          !ClipsNorm<Optimizer> && std::is_trivially_copyable_v<Optimizer>;

template <class State, class View, class Targets>
auto step_on_device(State& at, const BatchInputs<View>& inputs, const Targets& targets) {
  at.net->gradient_use().change_weights();
  at.check_optimizer();
  if constexpr (State::Ops::buffer_count > 0) check_statistics<typename State::Model>(inputs.view.rows);
  at.expect_rows(inputs.view.rows);
  return at.engine.step(
      TrainingBatch{
          .inputs = inputs, .rows = inputs.view.rows, .targets = targets, .samples = nullptr, .key = at.mask_key()},
      at.loss, at.next_update(), at.arenas());
}

}  // namespace detail

SINTER_NAMESPACE_END
