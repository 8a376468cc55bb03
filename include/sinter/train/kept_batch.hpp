// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "sinter/core/error.hpp"
#include "sinter/kernels/step_arguments.hpp"
#include "sinter/loss/supplied.hpp"
#include "sinter/network/gradient_use.hpp"
#include "sinter/train/given_batch.hpp"
#include "sinter/train/mask_draw.hpp"
#include "sinter/train/training_state.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {

/// Takes a batch forward in training, with the masks that it would have in a step, or with others for another draw:
/// y [rows][output]. Its activations are kept for `backward_kept`; until then it changes nothing else.
template <class State, class View>
void forward_kept(State& at, const BatchInputs<View>& inputs, std::uint32_t draw, typename State::Scalar* y) {
  const std::size_t count = inputs.view.rows;
  constexpr bool buffers = State::Ops::buffer_count > 0;
  at.check_rows(count);
  if constexpr (buffers) {
    check_statistics<typename State::Model>(count);
    if (at.rows.empty()) at.engine.statistics().drop();
    at.engine.statistics().begin_apart();
  }
  at.rows_kept = 0;
  at.engine.forward_kept(at.net->data(),
                         TrainingBatch{.inputs = inputs,
                                       .rows = count,
                                       .targets = not_given,
                                       .samples = at.rows.positions(count),
                                       .key = key_of_draw(at.mask_key(), draw)},
                         y);
  if constexpr (buffers) at.engine.statistics().end_apart();
  if constexpr (carries_states<typename State::Engine>) at.engine.carried().set_apart();
  at.rows_kept = count;
  at.inputs_kept = inputs.view.data;
  at.weights_kept = at.net->gradient_use().weights();
}

/// Whether such a batch is kept, with as many rows as gradients are given, and the network has the weights of then.
template <class State>
void check_kept(const State& at, std::size_t rows) {
  if (at.rows_kept == 0)
    fail(
        "backward(dy) was called with no batch to go back through; call forward(x) before it, with no step, update or "
        "other batch in between");
  if (at.weights_kept != at.net->gradient_use().weights())
    fail(
        "backward(dy) was called for a batch that went forward through other weights: another Trainer of the network "
        "has made a step since, or the network was given other weights; call forward(x) again after that");
  if (rows != at.rows_kept)
    fail("backward(dy) was given " + std::to_string(rows) + " rows after a forward of " + std::to_string(at.rows_kept) +
         "; give it one row of gradients for each row");
}
/// Where inputs and outputs have one shape, backward(dy, dx) compiles as backward(x, dy) does.
template <class State>
void check_not_kept(const State& at, const void* inputs) {
  if (at.rows_kept != 0 && inputs != at.inputs_kept)
    fail(
        "backward(x, dy) was called with other inputs than forward(x), whose batch waits for backward(dy); for the "
        "gradient of its inputs give a pointer, backward(dy, &dx); another batch to go back through give to "
        "forward(x)");
}
/// Adds that batch's gradient, of the sum over its rows, to the one accumulated since the last update.
template <class State, class Targets, class InputGradient>
void backward_kept(State& at, const Targets& dy, InputGradient input_gradient) {
  using T = typename State::Scalar;
  GradientUse& use = at.net->gradient_use();
  at.rows.check_kind(false);
  if (at.rows.empty()) {
    at.problem.clear();
    at.sum = use.begin_sum();
  } else {
    use.check_sum(at.sum);
  }
  const std::size_t count = std::exchange(at.rows_kept, 0);
  at.engine.backward_kept(at.net->data(), TrainingBatch{.inputs = not_given, .rows = count, .targets = dy},
                          SuppliedGradient{},
                          GradientSum{T(1), at.net->gradient().data(), input_gradient, at.rows.empty() ? T(0) : T(1)});
  if constexpr (State::Ops::buffer_count > 0) at.engine.statistics().count_apart();
  if constexpr (carries_states<typename State::Engine>)
    if (at.engine.carried().count_apart()) at.rows_carried = count;
  at.rows.add(count, static_cast<double>(count), false);
}

}  // namespace detail

SINTER_NAMESPACE_END
