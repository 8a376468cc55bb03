// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/core/number_text.hpp"
#include "sinter/core/subnormal.hpp"
#include "sinter/core/text.hpp"
#include "sinter/optimizer/apply.hpp"

SINTER_NAMESPACE_BEGIN

/// Stochastic gradient descent by PyTorch's formulas:
///   g = gradient + weight_decay w
///   b = momentum b + (1 - dampening) g, and b = g at the first step
///   w = w - lr b, with Nesterov w - lr (g + momentum b), without momentum w - lr g
struct SGD {
  double lr = 1e-3;
  double momentum = 0;
  double dampening = 0;
  double weight_decay = 0;
  bool nesterov = false;

  static constexpr const char* name = "SGD";
  using FactsOf = SGD;
  static constexpr int states = 1;    ///< b
  static constexpr long settled = 1;  ///< from this step on `at` gives the same
  static constexpr bool anywhere = true;

  template <class T>
  struct Update {
    using Number = T;
    T lr, momentum, undamped, weight_decay;
    bool nesterov, first;

    SINTER_FN bool uses_state() const { return momentum != T(0); }
    template <class V>
    SINTER_FN void operator()(V& weight, V gradient, V* state) const {
      V direction = fn::fma(V(weight_decay), weight, gradient);
      if (momentum != T(0)) {
        const V b = first ? direction : fn::flush_subnormal(fn::fma(V(momentum), state[0], V(undamped) * direction));
        state[0] = b;
        direction = nesterov ? fn::fma(V(momentum), b, direction) : b;
      }
      weight = fn::fma(V(-lr), direction, weight);
    }
  };

  /// The update of one step; steps count from 0.
  template <class T>
  SINTER_HOST_DEVICE Update<T> at(long step) const {
    return {static_cast<T>(lr),
            static_cast<T>(momentum),
            static_cast<T>(1 - dampening),
            static_cast<T>(weight_decay),
            nesterov,
            step == 0};
  }

  template <class Each>
  void for_each_option(Each&& each) const {
    each("lr", lr);
    each("momentum", momentum);
    each("dampening", dampening);
    each("weight_decay", weight_decay);
    each("nesterov", nesterov);
  }
  SINTER_COLD void check() const {
    detail::require_at_least_zero(name, "lr", lr);
    detail::require_below_one(name, "momentum", momentum);
    detail::require_at_least_zero(name, "weight_decay", weight_decay);
    detail::require_fraction(name, "dampening", dampening);
    if (nesterov && (momentum == 0 || dampening != 0))
      fail(joined({"SGD was given nesterov with momentum = ", exact_text(momentum),
                   " and dampening = ", exact_text(dampening),
                   ", expected a momentum above 0 and no dampening; set those or drop nesterov"}));
  }

  /// See is_moderate().
  bool moderate() const { return lr <= 1024 && momentum <= 1024 && dampening <= 1024 && weight_decay <= 1024; }

  /// One step on one parameter, outside a network: `state` is as long as it and starts as zeros.
  template <class Parameter, class Gradient, class State>
  void step(Parameter&& parameter, const Gradient& gradient, State&& state, long step) const {
    detail::apply(*this, std::span(parameter), std::span(gradient), std::span(state), step);
  }
};

SINTER_NAMESPACE_END

namespace sinter {
using internal::SGD;
}  // namespace sinter
