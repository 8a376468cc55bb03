// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/core/error.hpp"
#include "sinter/optimizer/clip_grad.hpp"
#include "sinter/train/gradient_norm.hpp"
#include "sinter/train/training_state.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {

/// A device with its own memory checks the weights in it.
template <class State>
bool update_is_finite(State& at) {
  if constexpr (!KeepsData<typename State::Engine>) {
    const auto [parameters, gradient, state] = at.arenas();
    if (!at.engine.update_is_finite(at.next_update(), {parameters, gradient, state})) {
      at.problem = weight_problem(at.attempts);
      return false;
    }
  }
  return true;
}

template <class State>
void clip_gradient(State& at) {
  if constexpr (ClipsNorm<decltype(at.optimizer)>) {
    const auto& gradient = State::Engine::to_host(at.net->gradient());
    const double norm = gradient_norm<typename State::Model>(gradient.data(), at.factors);
    const double coefficient = clip_coefficient(norm, at.optimizer.max_norm);
    if (coefficient < 1) at.engine.scale(at.net->gradient(), static_cast<typename State::Scalar>(coefficient));
  }
}

/// Applies the optimizer to the gradient, unless something is not finite: then it returns false.
template <class State>
bool make_update(State& at) {
  at.look();
  if (at.rows.empty()) fail("update() was called with no gradient; call accumulate() or backward() first");
  at.net->gradient_use().check_sum(at.sum);
  bool sound = at.problem.empty();
  if (sound && !at.engine.all_finite(at.net->gradient())) {
    at.describe_problem("a gradient");
    sound = false;
  }
  sound = sound && at.rate_is_finite();
  if (sound) {
    at.check_optimizer();
    clip_gradient(at);
    sound = update_is_finite(at);
  }
  if (sound) {
    at.engine.apply(at.next_update(), at.arenas());
    at.net->gradient_use().change_weights();
    if constexpr (State::Ops::buffer_count > 0) at.engine.statistics().keep(at.net->data());
    ++at.steps;
  }
  ++at.attempts;
  at.rows_kept = 0;
  at.rows.clear();
  return sound;
}

}  // namespace detail

SINTER_NAMESPACE_END
