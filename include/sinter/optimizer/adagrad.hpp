// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/core/pack_sqrt.hpp"
#include "sinter/optimizer/apply.hpp"

SINTER_NAMESPACE_BEGIN

/// Adagrad by PyTorch's formulas, t = step + 1:
///   g = gradient + weight_decay w
///   s = s + g^2, from initial_accumulator_value on
///   w = w - lr / (1 + (t - 1) lr_decay) g / (sqrt(s) + epsilon)
struct Adagrad {
  double lr = 1e-2;
  double lr_decay = 0;
  double weight_decay = 0;
  double initial_accumulator_value = 0;
  double epsilon = 1e-10;

  static constexpr const char* name = "Adagrad";
  using FactsOf = Adagrad;
  static constexpr int states = 1;   ///< s, without its initial value
  static constexpr int squares = 0;  ///< the state of sums of squares, which are at least 0
  static constexpr bool anywhere = true;

  template <class T>
  struct Update {
    using Number = T;
    T rate, weight_decay, initial, epsilon;

    template <class V>
    SINTER_FN void operator()(V& weight, V gradient, V* state) const {
      const V g = fn::fma(V(weight_decay), weight, gradient);
      const V s = fn::fma(g, g, state[0]);
      state[0] = s;
      weight = fn::fma(V(-rate), g / (fn::sqrt(s + V(initial)) + V(epsilon)), weight);
    }
  };

  /// The update of one step; steps count from 0.
  template <class T>
  SINTER_HOST_DEVICE Update<T> at(long step) const {
    return {static_cast<T>(lr / (1 + fn::product(static_cast<double>(step), lr_decay))), static_cast<T>(weight_decay),
            static_cast<T>(initial_accumulator_value), static_cast<T>(epsilon)};
  }

  template <class Each>
  void for_each_option(Each&& each) const {
    each("lr", lr);
    each("lr_decay", lr_decay);
    each("weight_decay", weight_decay);
    each("initial_accumulator_value", initial_accumulator_value);
    each("epsilon", epsilon);
  }
  SINTER_COLD void check() const {
    detail::require_at_least_zero(name, "lr", lr);
    detail::require_at_least_zero(name, "lr_decay", lr_decay);
    detail::require_at_least_zero(name, "weight_decay", weight_decay);
    detail::require_at_least_zero(name, "initial_accumulator_value", initial_accumulator_value);
    detail::require_at_least_zero(name, "epsilon", epsilon);
  }

  /// See is_moderate().
  bool moderate() const { return lr <= 1024 && weight_decay <= 1 && epsilon >= 1e-12; }

  /// One step on one parameter, outside a network: `state` is as long as it and starts as zeros.
  template <class Parameter, class Gradient, class State>
  void step(Parameter&& parameter, const Gradient& gradient, State&& state, long step) const {
    detail::apply(*this, std::span(parameter), std::span(gradient), std::span(state), step);
  }
};

SINTER_NAMESPACE_END

namespace sinter {
using internal::Adagrad;
}  // namespace sinter
