// SPDX-License-Identifier: MIT
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>

#include "sinter/core/macros.hpp"
#include "sinter/core/tensor.hpp"
#include "sinter/data/normalize.hpp"

SINTER_NAMESPACE_BEGIN

struct CudaMemory;

/// Labels in memory that the host does not read.
template <std::integral Label, class Memory>
struct LabelView {
  const Label* data;
  std::size_t count;

  constexpr std::size_t size() const { return count; }
  constexpr LabelView subspan(std::size_t first, std::size_t some) const { return {data + first, some}; }
  constexpr LabelView first(std::size_t some) const { return {data, some}; }
};

namespace detail {
template <class V>
inline constexpr bool is_rows = false;
template <class T, class S, class Memory>
inline constexpr bool is_rows<TensorView<T, S, Memory>> = true;

template <class V>
inline constexpr bool is_labels = false;
template <std::integral Label>
inline constexpr bool is_labels<std::span<const Label>> = !std::same_as<Label, bool>;
template <std::integral Label, class Memory>
inline constexpr bool is_labels<LabelView<Label, Memory>> = !std::same_as<Label, bool>;

template <class T, class... Choices>
concept one_of = (std::same_as<T, Choices> || ...);
}  // namespace detail

/// Whether a tensor or a view has rows of the shape `Needed`. The compiler's messages show both.
template <class Given, class Needed>
inline constexpr bool has_rows_of = false;
template <class T, class Needed, class Memory>
inline constexpr bool has_rows_of<TensorView<T, Needed, Memory>, Needed> = true;
template <class T, class Needed>
inline constexpr bool has_rows_of<Tensor<T, Needed>, Needed> = true;

/// Whether something is rows of a shape at all, a tensor or a view, and not, say, a vector of numbers.
template <class Given>
inline constexpr bool has_shape = detail::is_rows<Given>;
template <class T, class S>
inline constexpr bool has_shape<Tensor<T, S>> = true;

/// What a network reads: rows of float or double, or of integers of 8 bits or 16, such as pixels and samples of sound.
template <class V>
concept InputRows = detail::is_rows<V> && detail::one_of<typename V::Value, const float, const double,
                                                         const std::uint8_t, const std::int8_t, const std::int16_t>;

/// A class for each row, of any integer type.
template <class V>
concept Labels = detail::is_labels<V>;

/// A row of numbers to be matched for each row of the inputs. Integers are scaled as the inputs are.
template <class V>
concept TargetRows = InputRows<V>;

/// Rows and their targets. An optional `data.normalize()` says how inputs are scaled on loading.
template <class D>
concept Dataset = requires(const D& data) {
  { data.size() } -> std::convertible_to<std::size_t>;
  requires InputRows<std::remove_cvref_t<decltype(data.inputs())>>;
  requires Labels<std::remove_cvref_t<decltype(data.targets())>> ||
               TargetRows<std::remove_cvref_t<decltype(data.targets())>>;
};

/// The type of a dataset's inputs, a TensorView.
template <Dataset D>
using inputs_of = std::remove_cvref_t<decltype(std::declval<const D&>().inputs())>;
/// The type of a dataset's targets: labels, or a TensorView of rows of numbers.
template <Dataset D>
using targets_of = std::remove_cvref_t<decltype(std::declval<const D&>().targets())>;
/// Whether the targets of a dataset are labels.
template <Dataset D>
inline constexpr bool has_labels = Labels<targets_of<D>>;

/// The weight of each row, if a dataset has weights.
template <class W>
concept RowWeights = detail::one_of<W, std::span<const float>, std::span<const double>>;
/// A dataset with a weight for each row.
template <class D>
concept HasWeights = requires(const D& data) { requires RowWeights<std::remove_cvref_t<decltype(data.weights())>>; };
/// The weights of a dataset that has none.
struct NoWeights {};
/// The weights of a dataset's rows, or NoWeights.
template <class D>
constexpr auto weights_of([[maybe_unused]] const D& data) {
  if constexpr (HasWeights<D>)
    return data.weights();
  else
    return NoWeights{};
}

/// Whether a dataset says how its inputs are scaled, as integers must.
template <Dataset D>
inline constexpr bool says_scale =
    !needs_scale<typename inputs_of<D>::Value> || requires(const D& data) { data.normalize(); };
/// How a dataset's inputs are scaled: not at all unless it says so.
template <Dataset D>
constexpr Normalize normalize_of(const D& data) {
  if constexpr (requires { data.normalize(); })
    return data.normalize();
  else
    return {};
}

/// The number of rows of targets.
template <Labels L>
constexpr std::size_t rows_in(L labels) {
  return labels.size();
}
/// The number of rows of a view.
template <class T, class S, class Memory>
constexpr std::size_t rows_in(const TensorView<T, S, Memory>& view) {
  return view.rows;
}

SINTER_NAMESPACE_END

namespace sinter {
using internal::Dataset;
using internal::LabelView;
using internal::normalize_of;
}  // namespace sinter
