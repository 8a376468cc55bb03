// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <limits>
#include <span>
#include <string>

#include "sinter/core/error.hpp"
#include "sinter/core/named_options.hpp"
#include "sinter/core/pack.hpp"
#include "sinter/optimizer/apply.hpp"

SINTER_NAMESPACE_BEGIN

/// An optimizer that also keeps an exponential moving average of the weights, as PyTorch's AveragedModel with
/// get_ema_multi_avg_fn(decay): after a step  a = decay a + (1 - decay) w,  and a = w after the first. Made by
/// moving_average(). fit() gives the average to another network of the same model after each epoch.
template <class Optimizer, class Net>
struct MovingAverage : Optimizer {
  Net* averaged;
  double decay;

  static constexpr int states = Optimizer::states + 1;  ///< those of the optimizer, then a
  static constexpr int average_state = Optimizer::states;
  using FactsOf = FactsIfOf<MovingAverage, Optimizer>;
  static constexpr long settled = std::max(1L, settled_step<Optimizer>);

  MovingAverage(const Optimizer& optimizer, Net& net, double decay_)
      : Optimizer(optimizer), averaged(&net), decay(decay_) {}

  template <class T>
  struct Update {
    using Number = T;
    typename Optimizer::template Update<T> inner;
    T toward;
    bool first;

    template <class V>
    SINTER_FN void operator()(V& weight, V gradient, V* state) const {
      inner(weight, gradient, state);
      V& average = state[average_state];
      average = first ? weight : fn::fma(V(toward), weight - average, average);
    }
  };
  template <class T>
    requires ComputedAnywhere<Optimizer>
  SINTER_HOST_DEVICE Update<T> at(long step) const {
    return {Optimizer::template at<T>(step), static_cast<T>(1 - decay), step == 0};
  }
  template <class T>
    requires(!ComputedAnywhere<Optimizer>)
  Update<T> at(long step) const {
    return {Optimizer::template at<T>(step), static_cast<T>(1 - decay), step == 0};
  }

  template <class Each>
  void for_each_option(Each&& each) const {
    detail::for_each_option<Optimizer>(*this, each);
    each("moving_average", decay);
  }
  SINTER_COLD void check() const {
    Optimizer::check();
    detail::require_below_one("moving_average", "decay", decay);
  }
  /// One step on one parameter, outside a network, as of the optimizer; the average is the last part of `state`.
  template <class Parameter, class Gradient, class State>
  void step(Parameter&& parameter, const Gradient& gradient, State&& state, long step) const {
    detail::apply(*this, std::span(parameter), std::span(gradient), std::span(state), step);
  }
};

template <class Optimizer>
concept KeepsAverage = requires(const Optimizer& optimizer) { optimizer.averaged; };

/// `averaged` must outlive the training, and is not the network that is trained.
template <class Optimizer, class Net>
MovingAverage<Optimizer, Net> moving_average(const Optimizer& optimizer, Net& averaged, double decay = 0.999) {
  static_assert(!KeepsAverage<Optimizer>,
                "sinter: moving_average is given an optimizer that keeps an average already; an optimizer keeps one");
  return {optimizer, averaged, decay};
}

namespace detail {
/// Fails if the average is to be given to no network, or to the one that is trained, which would lose what it has
/// learned.
template <class Optimizer>
void check_averaged([[maybe_unused]] const Optimizer& optimizer, [[maybe_unused]] const void* trained) {
  if constexpr (KeepsAverage<Optimizer>)
    if (optimizer.averaged == trained || optimizer.averaged == nullptr)
      fail([&] {
        return std::string("moving_average was given ") +
               (optimizer.averaged ? "the network that is trained" : "no network") +
               ", expected another one for the average; make a second network of the model";
      });
}
}  // namespace detail

SINTER_NAMESPACE_END

namespace sinter {
using internal::moving_average;
using internal::MovingAverage;
}  // namespace sinter
