// SPDX-License-Identifier: MIT
#pragma once

#include <concepts>
#include <type_traits>

#include "sinter/core/pack.hpp"
#include "sinter/core/type_name.hpp"

SINTER_NAMESPACE_BEGIN

/// Leaf functors: a type with static `forward(x)`, `backward(saved, dy)` and `backward_reads_output` (is `saved` the
/// output or the input?). Best as templates over the value type; plain functions of float or double work, too, and are
/// applied lane by lane. `name` (else that of the type) and `zeros` (the fraction of exact zeros that backward makes)
/// may be left out.
namespace fn {

template <class F, class V>
concept AcceptsForward = requires(V x) {
  { F::forward(x) } -> std::same_as<V>;
};
template <class F, class V>
concept AcceptsBackward = requires(V x) {
  { F::backward(x, x) } -> std::same_as<V>;
};

/// The number that a functor of one kind of scalar takes.
template <class F>
using ScalarTaken = std::conditional_t<AcceptsForward<F, float>, float, double>;

/// The library's requirement on a functor: it can be applied to a float and a double.
template <class F>
concept Functor = requires(float x, double y) {
  { F::forward(x) } -> std::convertible_to<double>;
  { F::forward(y) } -> std::convertible_to<double>;
  { F::backward(x, x) } -> std::convertible_to<double>;
  { F::backward(y, y) } -> std::convertible_to<double>;
  { F::backward_reads_output } -> std::convertible_to<bool>;
};

template <class F, class V>
SINTER_FN V forward(V x) {
  if constexpr (AcceptsForward<F, V>) {
    return F::forward(x);
  } else if constexpr (is_pack<V>) {
    V y;
    for (int i = 0; i < V::lanes; ++i) y.set(i, fn::forward<F>(x[i]));
    return y;
  } else {
    return static_cast<V>(F::forward(static_cast<ScalarTaken<F>>(x)));
  }
}

template <class F, class V>
SINTER_FN V backward(V saved, V dy) {
  if constexpr (AcceptsBackward<F, V>) {
    return F::backward(saved, dy);
  } else if constexpr (is_pack<V>) {
    V dx;
    for (int i = 0; i < V::lanes; ++i) dx.set(i, fn::backward<F>(saved[i], dy[i]));
    return dx;
  } else {
    return static_cast<V>(F::backward(static_cast<ScalarTaken<F>>(saved), static_cast<ScalarTaken<F>>(dy)));
  }
}

template <class F>
inline constexpr double zeros_of = [] {
  if constexpr (requires { F::zeros; })
    return static_cast<double>(F::zeros);
  else
    return 0.0;
}();

template <class F>
inline constexpr const char* name_of = [] {
  if constexpr (requires { F::name; })
    return static_cast<const char*>(F::name);
  else
    return static_cast<const char*>(detail::TypeName<F>::text.data());
}();

}  // namespace fn

SINTER_NAMESPACE_END

namespace sinter {
namespace fn = internal::fn;
}  // namespace sinter
