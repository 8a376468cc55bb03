// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/core/pack_sqrt.hpp"
#include "sinter/core/subnormal.hpp"
#include "sinter/optimizer/apply.hpp"

SINTER_NAMESPACE_BEGIN

/// RMSprop by PyTorch's formulas:
///   g = gradient + weight_decay w
///   v = alpha v + (1 - alpha) g^2,   centered: a = a + (1 - alpha) (g - a), and v - a^2 takes the place of v below
///   d = g / (sqrt(v) + epsilon),     b = momentum b + d
///   w = w - lr b
struct RMSprop {
  double lr = 1e-2;
  double alpha = 0.99;
  double epsilon = 1e-8;
  double weight_decay = 0;
  double momentum = 0;
  bool centered = false;

  static constexpr const char* name = "RMSprop";
  using FactsOf = RMSprop;
  static constexpr int states = 3;    ///< v, a, b
  static constexpr int squares = 0;   ///< the state of sums of squares, which are at least 0
  static constexpr long settled = 0;  ///< `at` gives the same for every step
  static constexpr bool anywhere = true;

  template <class T>
  struct Update {
    using Number = T;
    T lr, alpha, toward, epsilon, weight_decay, momentum;
    bool centered;

    template <class V>
    SINTER_FN void operator()(V& weight, V gradient, V* state) const {
      const V g = fn::fma(V(weight_decay), weight, gradient);
      V v = fn::flush_subnormal(fn::fma(V(alpha), state[0], V(toward) * g * g));
      state[0] = v;
      if (centered) {
        const V a = fn::flush_subnormal(fn::fma(V(toward), g - state[1], state[1]));
        state[1] = a;
        v = fn::max(V(0), fn::fma(-a, a, v));  // rounding may take it below 0
      }
      const V b = fn::flush_subnormal(fn::fma(V(momentum), state[2], g / (fn::sqrt(v) + V(epsilon))));
      state[2] = b;
      weight = fn::fma(V(-lr), b, weight);
    }
  };

  template <class T>
  SINTER_HOST_DEVICE Update<T> at(long) const {
    return {static_cast<T>(lr),
            static_cast<T>(alpha),
            static_cast<T>(1 - alpha),
            static_cast<T>(epsilon),
            static_cast<T>(weight_decay),
            static_cast<T>(momentum),
            centered};
  }

  template <class Each>
  void for_each_option(Each&& each) const {
    each("lr", lr);
    each("alpha", alpha);
    each("epsilon", epsilon);
    each("weight_decay", weight_decay);
    each("momentum", momentum);
    each("centered", centered);
  }
  SINTER_COLD void check() const {
    detail::require_at_least_zero(name, "lr", lr);
    detail::require_below_one(name, "alpha", alpha);
    detail::require_at_least_zero(name, "epsilon", epsilon);
    detail::require_at_least_zero(name, "weight_decay", weight_decay);
    detail::require_below_one(name, "momentum", momentum);
  }

  /// See is_moderate().
  bool moderate() const { return lr <= 1024 && momentum <= 1024 && weight_decay <= 1 && epsilon >= 1e-12; }

  /// One step on one parameter, outside a network: `state` is v, a and b, each as long as it, and starts as zeros.
  template <class Parameter, class Gradient, class State>
  void step(Parameter&& parameter, const Gradient& gradient, State&& state, long step) const {
    detail::apply(*this, std::span(parameter), std::span(gradient), std::span(state), step);
  }
};

SINTER_NAMESPACE_END

namespace sinter {
using internal::RMSprop;
}  // namespace sinter
