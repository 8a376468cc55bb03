// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/optimizer/adam.hpp"

SINTER_NAMESPACE_BEGIN

/// Adam with decoupled weight decay, by PyTorch's formulas:
///   w = w (1 - lr weight_decay), and then a step of Adam without weight decay
struct AdamW {
  double lr = 1e-3;
  double beta1 = 0.9;
  double beta2 = 0.999;
  double epsilon = 1e-8;
  double weight_decay = 1e-2;

  static constexpr const char* name = "AdamW";
  using FactsOf = AdamW;
  static constexpr int states = Adam::states, squares = Adam::squares;
  static constexpr bool anywhere = true;

  template <class T>
  struct Update {
    using Number = T;
    Adam::Update<T> adam;
    T decay;

    template <class V>
    SINTER_FN void operator()(V& weight, V gradient, V* state) const {
      weight = fn::fma(V(-decay), weight, weight);
      adam(weight, gradient, state);
    }
  };

  /// The update of one step, with its bias corrections; steps count from 0.
  template <class T>
  SINTER_HOST_DEVICE Update<T> at(long step) const {
    const Adam adam{.lr = lr, .beta1 = beta1, .beta2 = beta2, .epsilon = epsilon};
    return {adam.at<T>(step), static_cast<T>(lr * weight_decay)};
  }

  template <class Each>
  void for_each_option(Each&& each) const {
    detail::for_each_adam_option(*this, each);
  }
  SINTER_COLD void check() const { detail::check_adam(*this); }

  /// See is_moderate().
  bool moderate() const { return detail::moderate_adam(*this) && weight_decay <= 1024; }

  /// One step on one parameter, outside a network: `state` is m, then v, each as long as it, and starts as zeros.
  template <class Parameter, class Gradient, class State>
  void step(Parameter&& parameter, const Gradient& gradient, State&& state, long step) const {
    detail::apply(*this, std::span(parameter), std::span(gradient), std::span(state), step);
  }
};

SINTER_NAMESPACE_END

namespace sinter {
using internal::AdamW;
}  // namespace sinter
