// SPDX-License-Identifier: MIT
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>
#include <utility>

#include "sinter/core/error.hpp"
#include "sinter/core/tensor.hpp"
#include "sinter/data/normalize.hpp"

SINTER_NAMESPACE_BEGIN

struct CudaMemory;

/// Labels that lie in a memory which the host does not read.
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

/// Rows and what is to be learned from them. An optional `data.normalize()` says how inputs are scaled on loading.
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

/// What each row counts next to the others, where a dataset says so.
template <class W>
concept RowWeights = detail::one_of<W, std::span<const float>, std::span<const double>>;
/// A dataset with a weight for each row.
template <class D>
concept HasWeights = requires(const D& data) { requires RowWeights<std::remove_cvref_t<decltype(data.weights())>>; };
/// Stands for the weights of a dataset that has none.
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

/// A dataset in memory owned elsewhere. Made by dataset() and subset().
template <InputRows Inputs, class Targets, class Weights = NoWeights>
  requires Labels<Targets> || TargetRows<Targets>
class DataView {
 public:
  /// Fails unless there are as many targets as rows, and as many weights where there are some.
  DataView(Inputs inputs, Targets targets, Normalize normalize = {}, Weights weights = {})
      : inputs_(inputs), targets_(targets), normalize_(normalize), weights_(weights) {
    if constexpr (RowWeights<Weights>)
      if (inputs.rows != weights.size())
        fail("a dataset of " + std::to_string(inputs.rows) + " rows was given " + std::to_string(weights.size()) +
             " weights; pass one for each row");
    if (inputs.rows != rows_in(targets))
      fail("a dataset of " + std::to_string(inputs.rows) + " rows was given " + std::to_string(rows_in(targets)) +
           (Labels<Targets> ? " labels" : " target rows") + "; pass one for each row");
  }
  const Inputs& inputs() const { return inputs_; }
  const Targets& targets() const { return targets_; }
  std::size_t size() const { return inputs_.rows; }
  Normalize normalize() const { return normalize_; }
  Weights weights() const { return weights_; }

 private:
  Inputs inputs_;
  Targets targets_;
  Normalize normalize_;
  [[no_unique_address]] Weights weights_;
};

namespace detail {
template <class D>
inline constexpr bool is_view_of_data = false;
template <class Inputs, class Targets, class Weights>
inline constexpr bool is_view_of_data<DataView<Inputs, Targets, Weights>> = true;

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

/// What is neither, as a pointer, which does not say how many there are: it is refused where it is looked at.
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

/// The memory of rows that stand for those that were refused.
struct Refused {};
/// A dataset of such arguments, or, where they are refused, one that is not refused once more.
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

template <class T>
inline constexpr bool views = is_rows<std::remove_cvref_t<T>>;
template <class T, std::size_t Extent>
inline constexpr bool views<std::span<T, Extent>> = true;
template <class Label, class Memory>
inline constexpr bool views<LabelView<Label, Memory>> = true;
template <class T>
inline constexpr bool stays = std::is_lvalue_reference_v<T> || views<T>;
}  // namespace detail

/// Inputs (rows) and labels (integers) or target rows, where they lie: nothing is copied, both must outlive the result.
/// Rows of bytes may be targets of rows of bytes: dataset(pictures, pictures, Normalize::pixels(mean, deviation)).
/// Integers come with their scale; Normalize{} takes them as they are, bytes from 0 to 255.
template <class Inputs, class Targets>
auto dataset(Inputs&& inputs, Targets&& targets, Normalize normalize) {
  constexpr bool rows = detail::gives_inputs<Inputs>, wanted = detail::gives_targets<Targets, Inputs>;
  static_assert(
      rows,
      "sinter: the inputs of a dataset come as a Tensor, or as a TensorView on numbers of yours, which say the "
      "shape of a row: TensorView<const float, Shape<..>>::from(numbers), of float, double, std::uint8_t, "
      "std::int8_t or std::int16_t");
  static_assert(wanted || !rows,
                "sinter: the targets of a dataset are class numbers (a vector or span of an integer type) or rows of "
                "float or double (a Tensor or a TensorView); rows of bytes, and vectors of float, bool or text, are "
                "neither");
  static_assert(detail::stays<Inputs> && detail::stays<Targets>,
                "sinter: dataset() only views its arguments, and a temporary would be gone; give it a name first");
  return detail::make_dataset(detail::view_of(inputs), detail::view_of(targets), normalize);
}
/// The same with a weight for each row (floats or doubles of at least 0): a row of weight 2 counts as if it were there
/// twice, and the mean loss is the sum of weight times loss divided by the sum of the weights.
template <class Inputs, class Targets, class Weights>
  requires RowWeights<decltype(detail::view_of(std::declval<const Weights&>()))>
auto dataset(Inputs&& inputs, Targets&& targets, Weights&& weights, Normalize normalize) {
  static_assert(!detail::gives_inputs<Inputs> || detail::gives_targets<Targets, Inputs>,
                "sinter: the targets of a dataset are class numbers (a vector or span of an integer type) or rows of "
                "float or double (a Tensor or a TensorView); rows of bytes, and vectors of float, bool or text, are "
                "neither");
  static_assert(detail::stays<Inputs> && detail::stays<Targets> && detail::stays<Weights>,
                "sinter: dataset() only views its arguments, and a temporary would be gone; give it a name first");
  return detail::make_dataset(detail::view_of(inputs), detail::view_of(targets), normalize, detail::view_of(weights));
}
/// Inputs that need no scaling. Integers do.
template <class Inputs, class Targets>
auto dataset(Inputs&& inputs, Targets&& targets) {
  constexpr bool rows = detail::gives_inputs<Inputs>, wanted = detail::gives_targets<Targets, Inputs>;
  static_assert(
      rows,
      "sinter: the inputs of a dataset come as a Tensor, or as a TensorView on numbers of yours, which say the "
      "shape of a row: TensorView<const float, Shape<..>>::from(numbers), of float, double, std::uint8_t, "
      "std::int8_t or std::int16_t");
  static_assert(wanted || !rows,
                "sinter: the targets of a dataset are class numbers (a vector or span of an integer type) or rows of "
                "float or double (a Tensor or a TensorView); rows of bytes, and vectors of float, bool or text, are "
                "neither");
  constexpr bool scaled = !rows || !detail::rows_need_scale<detail::ViewOf<Inputs>>;
  static_assert(scaled, "sinter: integers need a scale: dataset(rows, labels, Normalize::pixels(mean, deviation))");
  if constexpr (rows && wanted)
    return dataset(std::forward<Inputs>(inputs), std::forward<Targets>(targets), Normalize{});
  else
    return detail::make_dataset(detail::view_of(inputs), detail::view_of(targets));
}
/// Without targets: refused, in words.
template <class Inputs>
auto dataset(Inputs&&) {
  static_assert(
      std::is_void_v<Inputs>,
      "sinter: dataset takes rows and what is to be learned from them: dataset(x, labels); rows alone are for "
      "predict(net, x)");
  return detail::make_dataset(detail::NoRange(), detail::NoRange());
}
/// The same with a weight for each row.
template <class Inputs, class Targets, class Weights>
  requires RowWeights<decltype(detail::view_of(std::declval<const Weights&>()))>
auto dataset(Inputs&& inputs, Targets&& targets, Weights&& weights) {
  constexpr bool scaled = !detail::rows_need_scale<decltype(detail::view_of(inputs))>;
  static_assert(scaled,
                "sinter: integers need a scale: dataset(rows, labels, weights, Normalize::pixels(mean, deviation))");
  return dataset(std::forward<Inputs>(inputs), std::forward<Targets>(targets), std::forward<Weights>(weights),
                 Normalize{});
}

/// Rows [first, first + count) of a dataset, as a view: the dataset must outlive it. (With numbers of rows instead,
/// subset(data, rows), it is a copy.)
template <Dataset D>
auto subset(const D& data, std::size_t first, std::size_t count) {
  const std::size_t size = data.size();
  if (first > size || count > size - first)
    fail(std::to_string(count) + " rows from row " + std::to_string(first) + " of a dataset of " +
         std::to_string(size) + " rows were asked for; stay within it");
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
/// Of a temporary that owns its rows: refused, in words. A subset of a subset is fine.
template <Dataset D>
  requires(!std::is_reference_v<D> && !detail::is_view_of_data<D>)
void subset(D&&, std::size_t, std::size_t) {
  static_assert(std::is_reference_v<D>,
                "sinter: subset() only views its dataset, and a temporary would be gone; give it a name first");
}

SINTER_NAMESPACE_END

namespace sinter {
using internal::Dataset;
using internal::dataset;
using internal::DataView;
using internal::LabelView;
using internal::normalize_of;
using internal::subset;
}  // namespace sinter
