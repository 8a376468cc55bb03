// SPDX-License-Identifier: MIT
#pragma once

#include <concepts>
#include <type_traits>

#include "sinter/train/callbacks.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {

/// Whether the types of a function's arguments are known: those of a generic lambda are not.
template <class F>
concept HasOneSignature = std::is_function_v<std::remove_pointer_t<F>> || requires { &F::operator(); };

// Which member of a callback a function replaces, by its arguments.
template <class F>
concept FunctionOfEpoch = !Callback<F> && std::invocable<F&, const EpochRecord&, const History&>;
template <class F, class Argument>
concept FunctionOf = !Callback<F> && HasOneSignature<F> && std::invocable<F&, const Argument&>;
template <class F>
concept FunctionCallback =
    FunctionOfEpoch<F> || FunctionOf<F, BatchInfo> || FunctionOf<F, TrainingInfo> || FunctionOf<F, History>;

/// A function as a callback with the one member that takes these arguments.
template <class F>
struct CallbackOfFunction {
  F& function;

  void on_begin(const TrainingInfo& info) const
    requires FunctionOf<F, TrainingInfo>
  {
    function(info);
  }
  auto on_batch_end(const BatchInfo& info) const
    requires FunctionOf<F, BatchInfo>
  {
    return function(info);
  }
  auto on_epoch_end(const EpochRecord& record, const History& history) const
    requires FunctionOfEpoch<F>
  {
    return function(record, history);
  }
  void on_end(const History& history) const
    requires FunctionOf<F, History>
  {
    function(history);
  }
};

/// What fit calls for a callback: the object itself, or an object that wraps a function.
template <class C>
decltype(auto) as_callback(C& given) {
  if constexpr (FunctionCallback<C>)
    return CallbackOfFunction<C>{given};
  else
    return (given);
}

}  // namespace detail

SINTER_NAMESPACE_END
