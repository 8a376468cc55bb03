// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/core/subnormal.hpp"
#include "sinter/optimizer/apply.hpp"

SINTER_NAMESPACE_BEGIN

/// Lion (Chen and others, 2023), the sign of a momentum with decoupled weight decay:
///   u = sign(beta1 m + (1 - beta1) g),   w = w (1 - lr weight_decay) - lr u,   m = beta2 m + (1 - beta2) g
struct Lion {
  double lr = 1e-4;
  double beta1 = 0.9;
  double beta2 = 0.99;
  double weight_decay = 0;

  static constexpr const char* name = "Lion";
  using FactsOf = Lion;
  static constexpr int states = 1;    ///< m
  static constexpr long settled = 0;  ///< `at` gives the same for every step
  static constexpr bool anywhere = true;

  template <class T>
  struct Update {
    using Number = T;
    T lr, beta1, toward_direction, beta2, toward_state, decay;

    template <class V>
    SINTER_FN void operator()(V& weight, V gradient, V* state) const {
      const V m = state[0];
      const V c = fn::fma(V(beta1), m, fn::product(V(toward_direction), gradient));
      const V kept = fn::fma(V(-decay), weight, weight);
      weight = kept - fn::select(c > V(0), V(lr), fn::select(c < V(0), V(-lr), V(0)));
      state[0] = fn::flush_subnormal(fn::fma(V(beta2), m, fn::product(V(toward_state), gradient)));
    }
  };

  template <class T>
  SINTER_HOST_DEVICE Update<T> at(long) const {
    return {static_cast<T>(lr),    static_cast<T>(beta1),     static_cast<T>(1 - beta1),
            static_cast<T>(beta2), static_cast<T>(1 - beta2), static_cast<T>(lr * weight_decay)};
  }

  template <class Each>
  void for_each_option(Each&& each) const {
    each("lr", lr);
    each("beta1", beta1);
    each("beta2", beta2);
    each("weight_decay", weight_decay);
  }
  SINTER_COLD void check() const {
    detail::require_at_least_zero(name, "lr", lr);
    detail::require_below_one(name, "beta1", beta1);
    detail::require_below_one(name, "beta2", beta2);
    detail::require_at_least_zero(name, "weight_decay", weight_decay);
  }

  /// See is_moderate().
  bool moderate() const { return lr <= 1024 && weight_decay <= 1024; }

  /// One step on one parameter, outside a network: `state` is as long as it and starts as zeros.
  template <class Parameter, class Gradient, class State>
  void step(Parameter&& parameter, const Gradient& gradient, State&& state, long step) const {
    detail::apply(*this, std::span(parameter), std::span(gradient), std::span(state), step);
  }
};

SINTER_NAMESPACE_END

namespace sinter {
using internal::Lion;
}  // namespace sinter
