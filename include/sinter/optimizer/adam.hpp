// SPDX-License-Identifier: MIT
#pragma once

#include <limits>

#include "sinter/core/pack_sqrt.hpp"
#include "sinter/core/subnormal.hpp"
#include "sinter/optimizer/apply.hpp"
#include "sinter/optimizer/power.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {
inline constexpr long last_step = std::numeric_limits<long>::max();

// What Adam and AdamW have in common.
template <class Options, class Each>
void for_each_adam_option(const Options& options, Each&& each) {
  each("lr", options.lr);
  each("beta1", options.beta1);
  each("beta2", options.beta2);
  each("epsilon", options.epsilon);
  each("weight_decay", options.weight_decay);
}
template <class Options>
SINTER_COLD void check_adam(const Options& options) {
  require_at_least_zero(Options::name, "lr", options.lr);
  require_below_one(Options::name, "beta1", options.beta1);
  require_below_one(Options::name, "beta2", options.beta2);
  require_at_least_zero(Options::name, "epsilon", options.epsilon);
  require_at_least_zero(Options::name, "weight_decay", options.weight_decay);
}
template <class Options>
bool moderate_adam(const Options& options) {
  return options.lr <= 1024 && options.epsilon >= 1e-12 && options.beta1 <= 1 - 1e-6 && options.beta2 <= 1 - 1e-6;
}
}  // namespace detail

/// Adam by PyTorch's formulas, t = step + 1:
///   g = gradient + weight_decay w
///   m = m + (1 - beta1) (g - m),   v = beta2 v + (1 - beta2) g^2
///   w = w - lr / (1 - beta1^t) m / (sqrt(v) / sqrt(1 - beta2^t) + epsilon)
struct Adam {
  double lr = 1e-3;
  double beta1 = 0.9;
  double beta2 = 0.999;
  double epsilon = 1e-8;
  double weight_decay = 0;

  static constexpr const char* name = "Adam";
  using FactsOf = Adam;
  static constexpr int states = 2;   ///< m, v
  static constexpr int squares = 1;  ///< the state of sums of squares, which are at least 0
  static constexpr bool anywhere = true;

  template <class T>
  struct Update {
    using Number = T;
    T rate, toward_gradient, beta2, toward_square, root_scale, epsilon, weight_decay;

    template <class V>
    SINTER_FN void operator()(V& weight, V gradient, V* state) const {
      const V g = fn::fma(V(weight_decay), weight, gradient);
      const V m = fn::flush_subnormal(fn::fma(V(toward_gradient), g - state[0], state[0]));
      const V v = fn::flush_subnormal(fn::fma(V(beta2), state[1], V(toward_square) * g * g));
      state[0] = m;
      state[1] = v;
      weight = fn::fma(V(-rate), m / fn::fma(fn::sqrt(v), V(root_scale), V(epsilon)), weight);
    }
  };

  /// The update of one step, with its bias corrections; steps count from 0.
  template <class T>
  SINTER_HOST_DEVICE Update<T> at(long step) const {
    const long t = step < detail::last_step ? step + 1 : step;
    const double m_share = (Strict(1) - detail::power(beta1, t)).value;
    const double v_share = (Strict(1) - detail::power(beta2, t)).value;
    return {static_cast<T>(lr / m_share),
            static_cast<T>(1 - beta1),
            static_cast<T>(beta2),
            static_cast<T>(1 - beta2),
            static_cast<T>(1 / fn::sqrt(v_share)),
            static_cast<T>(epsilon),
            static_cast<T>(weight_decay)};
  }

  template <class Each>
  void for_each_option(Each&& each) const {
    detail::for_each_adam_option(*this, each);
  }
  SINTER_COLD void check() const { detail::check_adam(*this); }

  /// See is_moderate().
  bool moderate() const { return detail::moderate_adam(*this) && weight_decay <= 1; }

  /// One step on one parameter, outside a network: `state` is m, then v, each as long as it, and starts as zeros.
  template <class Parameter, class Gradient, class State>
  void step(Parameter&& parameter, const Gradient& gradient, State&& state, long step) const {
    detail::apply(*this, std::span(parameter), std::span(gradient), std::span(state), step);
  }
};

SINTER_NAMESPACE_END

namespace sinter {
using internal::Adam;
}  // namespace sinter
