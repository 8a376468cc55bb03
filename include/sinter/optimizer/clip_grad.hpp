// SPDX-License-Identifier: MIT
#pragma once

#include <span>

#include "sinter/core/named_options.hpp"
#include "sinter/core/pack.hpp"
#include "sinter/optimizer/apply.hpp"

SINTER_NAMESPACE_BEGIN

/// An optimizer that gets every number of the gradient clipped to the range from -clip_value to clip_value. Made by
/// clip_grad_value(); works on every device as the optimizer does.
template <class Optimizer>
struct ClipGradValue : Optimizer {
  double clip_value;

  using FactsOf = FactsIfOf<ClipGradValue, Optimizer>;

  ClipGradValue(const Optimizer& optimizer, double value) : Optimizer(optimizer), clip_value(value) {}

  template <class T>
  struct Update {
    using Number = T;
    using Inner = typename Optimizer::template Update<T>;
    Inner inner;
    T limit;

    SINTER_FN bool uses_state() const {
      if constexpr (requires { inner.uses_state(); })
        return inner.uses_state();
      else
        return true;
    }
    template <class V>
    SINTER_FN void operator()(V& weight, V gradient, V* state) const {
      inner(weight, fn::max(V(-limit), fn::min(V(limit), gradient)), state);
    }
  };
  template <class T>
    requires ComputedAnywhere<Optimizer>
  SINTER_HOST_DEVICE Update<T> at(long step) const {
    return {Optimizer::template at<T>(step), static_cast<T>(clip_value)};
  }
  template <class T>
    requires(!ComputedAnywhere<Optimizer>)
  Update<T> at(long step) const {
    return {Optimizer::template at<T>(step), static_cast<T>(clip_value)};
  }

  template <class Each>
  void for_each_option(Each&& each) const {
    detail::for_each_option<Optimizer>(*this, each);
    each("clip_grad_value", clip_value);
  }
  SINTER_COLD void check() const {
    Optimizer::check();
    detail::require_above_zero("clip_grad_value", "clip_value", clip_value);
  }
  /// One step on one parameter, outside a network, as of the optimizer.
  template <class Parameter, class Gradient, class State>
  void step(Parameter&& parameter, const Gradient& gradient, State&& state, long step) const {
    detail::apply(*this, std::span(parameter), std::span(gradient), std::span(state), step);
  }
};

/// An optimizer in whose training a gradient with a norm above max_norm is scaled down to it: the norm of the gradients
/// of all parameters that are trained, taken together. Made by clip_grad_norm(). The norm is summed in one order
/// whatever the number of threads; on a GPU it is copied to the host in every step.
template <class Optimizer>
struct ClipGradNorm : Optimizer {
  double max_norm;

  using FactsOf = FactsIfOf<ClipGradNorm, Optimizer>;

  ClipGradNorm(const Optimizer& optimizer, double norm) : Optimizer(optimizer), max_norm(norm) {}

  template <class Each>
  void for_each_option(Each&& each) const {
    detail::for_each_option<Optimizer>(*this, each);
    each("clip_grad_norm", max_norm);
  }
  SINTER_COLD void check() const {
    Optimizer::check();
    detail::require_above_zero("clip_grad_norm", "max_norm", max_norm);
  }
};

/// As PyTorch's clip_grad_value_ before each step.
template <class Optimizer>
ClipGradValue<Optimizer> clip_grad_value(const Optimizer& optimizer, double clip_value) {
  return {optimizer, clip_value};
}
template <class Optimizer>
concept ClipsNorm = requires(const Optimizer& optimizer) { optimizer.max_norm; };

/// As PyTorch's clip_grad_norm_ before each step.
template <class Optimizer>
ClipGradNorm<Optimizer> clip_grad_norm(const Optimizer& optimizer, double max_norm) {
  static_assert(!ClipsNorm<Optimizer>,
                "sinter: clip_grad_norm is given an optimizer that clips by a norm already; give it one norm");
  return {optimizer, max_norm};
}

SINTER_NAMESPACE_END

namespace sinter {
using internal::clip_grad_norm;
using internal::clip_grad_value;
using internal::ClipGradNorm;
using internal::ClipGradValue;
}  // namespace sinter
