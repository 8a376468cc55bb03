// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <type_traits>

#include "sinter/loss/supplied.hpp"
#include "sinter/train/batch_weight.hpp"
#include "sinter/train/given_batch.hpp"
#include "sinter/train/training_state.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {

/// Adds a batch's gradient to that of the rows so far: of the mean over all of them, or of the sum, if the caller
/// supplies the gradient of the output. Returns the mean loss of the batch.
template <class State, class Batch, class Loss, class InputGradient>
typename State::Scalar add_batch(State& at, const Batch& batch, const Loss& loss, InputGradient input_gradient) {
  using T = typename State::Scalar;
  constexpr bool mean = !std::is_same_v<Loss, SuppliedGradient>;
  constexpr bool buffers = State::Ops::buffer_count > 0;
  at.rows.check_kind(mean);
  const double weight = weight_of_batch(loss, batch.targets, batch.rows);
  decltype(auto) own = loss_of_batch(loss, batch.targets, batch.rows);
  auto& gradient = at.net->gradient();
  if constexpr (buffers) check_statistics<typename State::Model>(batch.rows);
  at.expect_rows(batch.rows);
  at.rows_kept = 0;
  if (at.rows.empty()) {
    if constexpr (buffers) at.engine.statistics().drop();
    at.problem.clear();
    at.sum = at.net->gradient_use().begin_sum();
  } else
    at.net->gradient_use().check_sum(at.sum);
  const T fraction = at.rows.empty() ? T(0) : mean ? static_cast<T>(at.rows.fraction_of_these(weight)) : T(1);
  const T scale = mean ? static_cast<T>(at.rows.mean_factor(weight)) : T(1);
  const double sum =
      at.engine.accumulate(at.net->data(), batch, own,
                           GradientSum{scale, gradient.data(), input_gradient, fraction, at.losses_of_heads.data()});
  at.rows.add(batch.rows, weight, mean);
  at.last_loss = weight > 0 ? sum / weight : sum;
  for (double& of_head : at.losses_of_heads) of_head = weight > 0 ? of_head / weight : of_head;
  if (!is_finite(at.last_loss)) at.describe_problem("the loss");
  return static_cast<T>(at.last_loss);
}

/// The same for a batch without a dataset, whose inputs' gradient is of the mean over its own rows.
template <class State, class View, class Targets, class Loss, class InputGradient>
typename State::Scalar add_given(State& at, const BatchInputs<View>& inputs, const Targets& targets, const Loss& loss,
                                 InputGradient input_gradient) {
  using T = typename State::Scalar;
  const std::size_t count = inputs.view.rows;
  const double before = at.rows.weight();
  const T value = add_batch(at,
                            TrainingBatch{.inputs = inputs,
                                          .rows = count,
                                          .targets = targets,
                                          .samples = at.rows.positions(count),
                                          .key = at.mask_key()},
                            loss, input_gradient);
  if constexpr (!std::is_null_pointer_v<InputGradient> && !std::is_same_v<Loss, SuppliedGradient>) {
    const double own = at.rows.weight() - before;
    const T factor = static_cast<T>(own > 0 ? at.rows.weight() / own : 1);
    if (before != 0)
      for (std::size_t i = 0; i < count * State::InputRow::size; ++i) input_gradient[i] = input_gradient[i] * factor;
  }
  return value;
}

}  // namespace detail

SINTER_NAMESPACE_END
