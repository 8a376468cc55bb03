// SPDX-License-Identifier: MIT
#pragma once

#include <type_traits>

#include "sinter/library/call_text.hpp"
#include "sinter/optimizer/adagrad.hpp"
#include "sinter/optimizer/adam.hpp"
#include "sinter/optimizer/adamw.hpp"
#include "sinter/optimizer/lion.hpp"
#include "sinter/optimizer/rmsprop.hpp"
#include "sinter/optimizer/sgd.hpp"

SINTER_NAMESPACE_BEGIN

/// One of the optimizers, chosen when the program runs. It has the bits of its own type, and room for the state of any.
struct NamedOptimizer {
  enum class Kind { sgd, adam, adamw, rmsprop, adagrad, lion } kind = Kind::sgd;
  int squares = -1;  // of the optimizer, if it has some
  double lr = 0;     // takes the place of that of the optimizer
  SGD sgd = {};
  Adam adam = {};
  AdamW adamw = {};
  RMSprop rmsprop = {};
  Adagrad adagrad = {};
  Lion lion = {};

  static constexpr const char* name = "NamedOptimizer";
  using FactsOf = NamedOptimizer;
  static constexpr int states = RMSprop::states;  // the most of all
  static constexpr bool anywhere = true;

  template <class T>
  struct Update {
    using Number = T;
    Kind kind;
    union {
      SGD::Update<T> sgd;
      Adam::Update<T> adam;
      AdamW::Update<T> adamw;
      RMSprop::Update<T> rmsprop;
      Adagrad::Update<T> adagrad;
      Lion::Update<T> lion;
    };

    SINTER_FN bool uses_state() const { return kind != Kind::sgd || sgd.uses_state(); }
    template <class V>
    SINTER_FN void operator()(V& weight, V gradient, V* state) const {
      switch (kind) {
        case Kind::adam:
          return adam(weight, gradient, state);
        case Kind::adamw:
          return adamw(weight, gradient, state);
        case Kind::rmsprop:
          return rmsprop(weight, gradient, state);
        case Kind::adagrad:
          return adagrad(weight, gradient, state);
        case Kind::lion:
          return lion(weight, gradient, state);
        default:
          return sgd(weight, gradient, state);
      }
    }
  };

  template <class T>
  SINTER_HOST_DEVICE Update<T> at(long step) const {
    Update<T> update;
    update.kind = kind;
    switch (kind) {
      case Kind::adam:
        update.adam = with_rate(adam).template at<T>(step);
        break;
      case Kind::adamw:
        update.adamw = with_rate(adamw).template at<T>(step);
        break;
      case Kind::rmsprop:
        update.rmsprop = with_rate(rmsprop).template at<T>(step);
        break;
      case Kind::adagrad:
        update.adagrad = with_rate(adagrad).template at<T>(step);
        break;
      case Kind::lion:
        update.lion = with_rate(lion).template at<T>(step);
        break;
      default:
        update.sgd = with_rate(sgd).template at<T>(step);
    }
    return update;
  }
  /// call(optimizer) of the one that is meant.
  template <class Call>
  auto with(Call&& call) const {
    switch (kind) {
      case Kind::adam:
        return call(adam);
      case Kind::adamw:
        return call(adamw);
      case Kind::rmsprop:
        return call(rmsprop);
      case Kind::adagrad:
        return call(adagrad);
      case Kind::lion:
        return call(lion);
      default:
        return call(sgd);
    }
  }
  bool moderate() const {
    return with([&](const auto& optimizer) { return with_rate(optimizer).moderate(); });
  }
  void check() const {
    with([&](const auto& optimizer) { with_rate(optimizer).check(); });
  }
  /// How many numbers the chosen one keeps of each weight.
  int states_of_kind() const {
    return with([](const auto& optimizer) { return std::remove_cvref_t<decltype(optimizer)>::states; });
  }

  static constexpr const char* names = "SGD, Adam, AdamW, RMSprop, Adagrad, Lion";
  /// Fails unless the text is that of an optimizer.
  void set(const detail::CallText& call) {
    if (!(try_to_set(call, sgd, Kind::sgd) || try_to_set(call, adam, Kind::adam) ||
          try_to_set(call, adamw, Kind::adamw) || try_to_set(call, rmsprop, Kind::rmsprop) ||
          try_to_set(call, adagrad, Kind::adagrad) || try_to_set(call, lion, Kind::lion)))
      detail::fail_name("optimizer", call.name, names);
  }

 private:
  template <class Optimizer>
  SINTER_HOST_DEVICE Optimizer with_rate(Optimizer optimizer) const {
    optimizer.lr = lr;
    return optimizer;
  }
  template <class Optimizer>
  bool try_to_set(const detail::CallText& call, Optimizer& optimizer, Kind of_optimizer) {
    if (call.name != Optimizer::name) return false;
    kind = of_optimizer;
    squares = -1;
    if constexpr (requires { Optimizer::squares; }) squares = Optimizer::squares;
    detail::set_options(optimizer, call);
    lr = optimizer.lr;
    return true;
  }
};

SINTER_NAMESPACE_END
