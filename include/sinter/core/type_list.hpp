// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <utility>

#include "sinter/core/macros.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {
template <std::size_t Index, class T>
struct Indexed {
  using Type = T;
};
template <class, class...>
struct IndexedTypes;
template <std::size_t... Index, class... T>
struct IndexedTypes<std::index_sequence<Index...>, T...> : Indexed<Index, T>... {};
template <std::size_t Index, class T>
Indexed<Index, T> pick(Indexed<Index, T>);
}  // namespace detail

/// A flat list of types. `At<Index>` costs one overload resolution, not a recursion.
template <class... T>
struct TypeList {
  static constexpr int size = sizeof...(T);
  using Types = detail::IndexedTypes<std::index_sequence_for<T...>, T...>;
  template <int Index>
  using At = typename decltype(detail::pick<static_cast<std::size_t>(Index)>(Types{}))::Type;
};

namespace detail {
template <class... Lists>
struct Concatenate;
template <>
struct Concatenate<> {
  using Type = TypeList<>;
};
template <class... A>
struct Concatenate<TypeList<A...>> {
  using Type = TypeList<A...>;
};
template <class... A, class... B, class... Rest>
struct Concatenate<TypeList<A...>, TypeList<B...>, Rest...> {
  using Type = typename Concatenate<TypeList<A..., B...>, Rest...>::Type;
};
}  // namespace detail
/// The concatenated lists.
template <class... Lists>
using concatenate = typename detail::Concatenate<Lists...>::Type;

namespace detail {
template <class T, std::size_t... Index>
TypeList<typename Indexed<Index, T>::Type...> repeat(std::index_sequence<Index...>);
}  // namespace detail
/// T, Count times.
template <class T, int Count>
using repeated = decltype(detail::repeat<T>(std::make_index_sequence<static_cast<std::size_t>(Count)>{}));

SINTER_NAMESPACE_END
