// SPDX-License-Identifier: MIT
#pragma once

#include <concepts>
#include <type_traits>
#include <utility>

#include "sinter/train/callbacks.hpp"
#include "sinter/train/function_callback.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {

// A class has a member of a name, whatever it takes, if naming it is ambiguous beside a base that has one too.
struct CallbackNames {
  int on_begin, on_batch_end, on_epoch_end, on_end;
  int operator()() const;
};
template <class C>
struct NamesTwice : C, CallbackNames {};

template <class C>
inline constexpr bool can_be_base = std::is_class_v<C> && !std::is_final_v<C>;
/// Whether it is called, as functions and lambdas are, generic ones too.
template <class C>
inline constexpr bool is_function = std::is_function_v<std::remove_pointer_t<C>>;
template <class C>
  requires can_be_base<C>
inline constexpr bool is_function<C> = !requires { &NamesTwice<C>::operator(); };
template <class C>
concept NamesBegin = can_be_base<C> && !requires { &NamesTwice<C>::on_begin; };
template <class C>
concept NamesBatchEnd = can_be_base<C> && !requires { &NamesTwice<C>::on_batch_end; };
template <class C>
concept NamesEpochEnd = can_be_base<C> && !requires { &NamesTwice<C>::on_epoch_end; };
template <class C>
concept NamesEnd = can_be_base<C> && !requires { &NamesTwice<C>::on_end; };

template <class Answer>
inline constexpr bool void_or_bool = std::is_void_v<Answer> || std::same_as<Answer, bool>;

template <class C>
constexpr bool batch_end_answers() {
  if constexpr (HasBatchEnd<C>)
    return void_or_bool<decltype(std::declval<C&>().on_batch_end(std::declval<const BatchInfo&>()))>;
  else
    return true;
}
template <class C>
constexpr bool epoch_end_answers() {
  if constexpr (HasEpochEnd<C>)
    return void_or_bool<decltype(std::declval<C&>().on_epoch_end(std::declval<const EpochRecord&>(),
                                                                 std::declval<const History&>()))>;
  else
    return true;
}

/// What fit calls.
template <class C>
using CalledAs = std::conditional_t<FunctionCallback<C>, CallbackOfFunction<C>, C>;

}  // namespace detail

/// Whether an object given to fit() is a callback, with members that can be called on it as it is, const or not, or a
/// function that replaces one. If not, compilation ends here with a message: otherwise it would silently not be called.
template <class C>
constexpr bool check_callback() {
  using Plain = std::remove_const_t<C>;  // one message at a time
  constexpr bool function = detail::FunctionCallback<C>;
  constexpr bool begin = function || HasBegin<C> || !detail::NamesBegin<Plain>;
  constexpr bool batch_end = !begin || function || HasBatchEnd<C> || !detail::NamesBatchEnd<Plain>;
  constexpr bool epoch_end = !(begin && batch_end) || function || HasEpochEnd<C> || !detail::NamesEpochEnd<Plain>;
  constexpr bool end = !(begin && batch_end && epoch_end) || function || HasEnd<C> || !detail::NamesEnd<Plain>;
  constexpr bool named = begin && batch_end && epoch_end && end;
  constexpr bool known = !named || function || Callback<C> || !detail::is_function<Plain>;
  constexpr bool any = !(named && known) || function || Callback<C>;
  constexpr bool answers =
      detail::batch_end_answers<detail::CalledAs<C>>() && detail::epoch_end_answers<detail::CalledAs<C>>();
  static_assert(begin,
                "sinter: a callback's on_begin(const TrainingInfo&) cannot be called on the object given to fit: give "
                "the member this argument, and make it const or the object not");
  static_assert(batch_end,
                "sinter: a callback's on_batch_end(const BatchInfo&) cannot be called on the object given to fit: give "
                "the member this argument, and make it const or the object not");
  static_assert(epoch_end,
                "sinter: a callback's on_epoch_end(const EpochRecord&, const History&) cannot be called on the object "
                "given to fit: give the member these arguments, and make it const or the object not");
  static_assert(end,
                "sinter: a callback's on_end(const History&) cannot be called on the object given to fit: give the "
                "member this argument, and make it const or the object not");
  static_assert(known,
                "sinter: fit cannot tell when to call this function: name what it takes, (const EpochRecord&, const "
                "History&), (const BatchInfo&), (const TrainingInfo&) or (const History&), no auto");
  static_assert(any,
                "sinter: fit was given something that is not a callback: an object with on_begin, on_batch_end, "
                "on_epoch_end or on_end, or a function (const EpochRecord&, const History&)");
  static_assert(answers, "sinter: a callback's on_batch_end and on_epoch_end return bool, false to stop, or nothing");
  return named && known && any && answers;
}

SINTER_NAMESPACE_END
