// SPDX-License-Identifier: MIT
#pragma once

#include <concepts>
#include <cstddef>
#include <span>
#include <string>
#include <type_traits>
#include <utility>

#include "sinter/core/error.hpp"
#include "sinter/core/shape.hpp"
#include "sinter/core/tensor.hpp"
#include "sinter/core/text.hpp"
#include "sinter/data/data_view.hpp"
#include "sinter/data/dataset_concept.hpp"
#include "sinter/data/normalize.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {
template <class T, class S, class Memory>
TensorView<const T, S, Memory> view_of(const TensorView<T, S, Memory>& view) {
  return view;
}
template <class T, class S>
TensorView<const T, S> view_of(const Tensor<T, S>& tensor) {
  return tensor.view();
}
template <class Label, class Memory>
LabelView<Label, Memory> view_of(const LabelView<Label, Memory>& labels) {
  return labels;
}
template <class Range>
  requires requires(const Range& range) { range.data(), range.size(); }
auto view_of(const Range& range) {
  if constexpr (requires { typename Range::Space; })
    return LabelView<std::remove_cvref_t<decltype(*range.data())>, typename Range::Space>{range.data(), range.size()};
  // A thrust::device_vector's pointers are objects, which know the address.
  else if constexpr (requires { range.data().get(); })
    return LabelView<std::remove_cvref_t<decltype(*range.data().get())>, CudaMemory>{range.data().get(), range.size()};
  else
    return std::span<const std::remove_cvref_t<decltype(*range.data())>>(range.data(), range.size());
}

/// Anything else, such as a pointer, which does not say how many elements there are: refused where it is used.
struct NoRange {};
struct Anything {
  template <class T>
  Anything(const T&) {}
};
inline NoRange view_of(const Anything&) { return {}; }

template <class V>
inline constexpr bool rows_need_scale = false;
template <class T, class S, class Memory>
inline constexpr bool rows_need_scale<TensorView<T, S, Memory>> = needs_scale<T>;

/// Whether views are targets of inputs: labels, rows of numbers, or rows of integers of the same type as the inputs,
/// whose scale they share.
template <class Targets, class Inputs>
inline constexpr bool are_targets = [] {
  if constexpr (TargetRows<Targets> && rows_need_scale<Targets> && is_rows<Inputs>)
    return std::same_as<typename Targets::Value, typename Inputs::Value>;
  else
    return Labels<Targets> || TargetRows<Targets>;
}();

/// The memory of placeholder rows for those that were refused.
struct Refused {};
/// A dataset of such arguments, or, if they are refused, one that causes no second message.
template <class Inputs, class Targets, class... More>
auto make_dataset(const Inputs& inputs, const Targets& targets, const More&... more) {
  if constexpr (InputRows<Inputs> && are_targets<Targets, Inputs>)
    return DataView(inputs, targets, more...);
  else if constexpr (InputRows<Inputs>)
    return DataView(inputs, std::span<const int>());
  else
    return DataView(TensorView<const float, Shape<1>, Refused>(), std::span<const int>());
}
template <class Given>
using ViewOf = decltype(view_of(std::declval<const std::remove_cvref_t<Given>&>()));
template <class Given>
inline constexpr bool gives_inputs = InputRows<ViewOf<Given>>;
template <class Given, class Inputs>
inline constexpr bool gives_targets = are_targets<ViewOf<Given>, ViewOf<Inputs>>;

/// Rows that need no scale, or are refused for another reason.
template <class Given>
inline constexpr bool needs_no_scale = !gives_inputs<Given> || !rows_need_scale<ViewOf<Given>>;

template <class T>
inline constexpr bool views = is_rows<std::remove_cvref_t<T>>;
template <class T, std::size_t Extent>
inline constexpr bool views<std::span<T, Extent>> = true;
template <class Label, class Memory>
inline constexpr bool views<LabelView<Label, Memory>> = true;
template <class T>
inline constexpr bool stays = std::is_lvalue_reference_v<T> || views<T>;

/// Arguments that dataset() does not take are refused with a message.
template <class Inputs, class Targets, class... Weights>
constexpr void check_dataset() {
  constexpr bool rows = gives_inputs<Inputs>, wanted = gives_targets<Targets, Inputs>;
  static_assert(
      rows,
      "sinter: the inputs of a dataset come as a Tensor, or as a TensorView on numbers of yours, which say the "
      "shape of a row: TensorView<const float, Shape<..>>::from(numbers), of float, double, std::uint8_t, "
      "std::int8_t or std::int16_t");
  static_assert(wanted || !rows,
                "sinter: the targets of a dataset are class numbers (a vector or span of an integer type) or rows of "
                "float or double (a Tensor or a TensorView); rows of bytes, and vectors of float, bool or text, are "
                "neither");
  static_assert(stays<Inputs> && stays<Targets> && (... && stays<Weights>),
                "sinter: dataset() only views its arguments, and a temporary would be gone; give it a name first");
}
}  // namespace detail

/// Inputs (rows) and labels (integers) or target rows, in place: nothing is copied, and both must outlive the result.
/// Rows of bytes may be targets of rows of bytes: dataset(pictures, pictures, Normalize::pixels(mean, deviation)).
/// Integers come with their scale; Normalize{} takes them as they are, bytes from 0 to 255.
template <class Inputs, class Targets>
auto dataset(Inputs&& inputs, Targets&& targets, Normalize normalize) {
  detail::check_dataset<Inputs, Targets>();
  return detail::make_dataset(detail::view_of(inputs), detail::view_of(targets), normalize);
}
/// The same with a weight for each row (floats or doubles of at least 0): a row of weight 2 counts as if it were there
/// twice, and the mean loss is the sum of weight times loss divided by the sum of the weights.
template <class Inputs, class Targets, class Weights>
  requires RowWeights<decltype(detail::view_of(std::declval<const Weights&>()))>
auto dataset(Inputs&& inputs, Targets&& targets, Weights&& weights, Normalize normalize) {
  detail::check_dataset<Inputs, Targets, Weights>();
  return detail::make_dataset(detail::view_of(inputs), detail::view_of(targets), normalize, detail::view_of(weights));
}
/// Inputs that need no scaling. Integers do.
template <class Inputs, class Targets>
auto dataset(Inputs&& inputs, Targets&& targets) {
  static_assert(detail::needs_no_scale<Inputs>,
                "sinter: integers need a scale: dataset(rows, labels, Normalize::pixels(mean, deviation))");
  detail::check_dataset<Inputs, Targets>();
  return detail::make_dataset(detail::view_of(inputs), detail::view_of(targets));
}
/// The same with a weight for each row.
template <class Inputs, class Targets, class Weights>
  requires RowWeights<decltype(detail::view_of(std::declval<const Weights&>()))>
auto dataset(Inputs&& inputs, Targets&& targets, Weights&& weights) {
  static_assert(detail::needs_no_scale<Inputs>,
                "sinter: integers need a scale: dataset(rows, labels, weights, Normalize::pixels(mean, deviation))");
  detail::check_dataset<Inputs, Targets, Weights>();
  return detail::make_dataset(detail::view_of(inputs), detail::view_of(targets), Normalize{}, detail::view_of(weights));
}

/// Without targets: refused with a message.
template <class Inputs>
auto dataset(Inputs&&) {
  static_assert(std::is_void_v<Inputs>,
                "sinter: dataset takes rows and their targets: dataset(x, labels); rows alone are for "
                "predict(net, x)");
  return detail::make_dataset(detail::NoRange(), detail::NoRange());
}

/// Rows [first, first + count) of a dataset, as a view: the dataset must outlive it. (With numbers of rows instead,
/// subset(data, rows), it is a copy.)
template <Dataset D>
auto subset(const D& data, std::size_t first, std::size_t count) {
  const std::size_t size = data.size();
  if (first > size || count > size - first)
    fail(joined({count, " rows from row ", first, " of a dataset of ", size, " rows were asked for; stay within it"}));
  const auto targets = [&] {
    if constexpr (has_labels<D>)
      return data.targets().subspan(first, count);
    else
      return data.targets().slice(first, count);
  }();
  if constexpr (HasWeights<D>)
    return DataView(data.inputs().slice(first, count), targets, normalize_of(data),
                    data.weights().subspan(first, count));
  else
    return DataView(data.inputs().slice(first, count), targets, normalize_of(data));
}
/// For a temporary that owns its rows: refused with a message. A subset of a subset is fine.
template <Dataset D>
  requires(!std::is_reference_v<D> && !detail::is_view_of_data<D>)
void subset(D&&, std::size_t, std::size_t) {
  static_assert(std::is_reference_v<D>,
                "sinter: subset() only views its dataset, and a temporary would be gone; give it a name first");
}

SINTER_NAMESPACE_END

namespace sinter {
using internal::dataset;
using internal::subset;
}  // namespace sinter
