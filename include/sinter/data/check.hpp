// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>
#include <cstddef>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>

#include "sinter/core/beyond_int64.hpp"
#include "sinter/core/finite.hpp"
#include "sinter/core/macros.hpp"
#include "sinter/core/number_text.hpp"
#include "sinter/data/dataset.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {
[[noreturn]] SINTER_COLD void fail_label(std::size_t row, const std::string& what, const std::string& label,
                                         int classes);
[[noreturn]] SINTER_COLD void fail_number(std::size_t row, const std::string& place, const std::string& what,
                                          double value, double largest = std::numeric_limits<double>::max());
SINTER_COLD std::string place_text(Dims dims, int channel, int y, int x);
[[noreturn]] SINTER_COLD void fail_counts(std::size_t rows, std::size_t inputs, std::size_t targets);

/// Fails if there are rows but no numbers.
void check_pointer(const void* data, std::size_t rows, const char* what);
template <class Inputs, class Targets>
void check_pointers(const Inputs& inputs, const Targets& targets) {
  check_pointer(inputs.data, inputs.rows, "the inputs");
  if constexpr (requires { targets.data(); })
    check_pointer(targets.data(), targets.size(), "the labels");
  else
    check_pointer(targets.data, rows_in(targets), Labels<Targets> ? "the labels" : "the targets");
}
}  // namespace detail

/// Fails unless a dataset has as many inputs and targets as it says, and their pointers are not null.
template <Dataset D>
void check_size(const D& data) {
  if (data.size() != data.inputs().rows || data.size() != rows_in(data.targets()))
    detail::fail_counts(data.size(), data.inputs().rows, rows_in(data.targets()));
  detail::check_pointers(data.inputs(), data.targets());
  if constexpr (HasWeights<D>)
    if (data.size() != data.weights().size())
      fail("a dataset of " + std::to_string(data.size()) + " rows has " + std::to_string(data.weights().size()) +
           " weights; give each row one");
}

/// Labels on a device are checked there, when a dataset is kept.
template <class Label, class Memory>
void check_labels(LabelView<Label, Memory>, int, const char* = "the labels") {}
template <class Label, class Memory, class Allowed>
void check_labels(LabelView<Label, Memory>, int, const char*, Allowed) {}

/// Fails, naming the row, at the first label outside 0 .. classes - 1 that is not `allowed(label)` apart. `what` names
/// the labels in the message.
template <Labels L, class Allowed>
void check_labels(L labels, int classes, const char* what, Allowed allowed) {
  for (std::size_t row = 0; row < labels.size(); ++row)
    if (const auto label = static_cast<long long>(labels[row]);
        (label < 0 || label >= classes) && (is_beyond_int64(labels[row]) || !allowed(label)))
      detail::fail_label(row, what, std::to_string(labels[row]), classes);
}
template <Labels L>
void check_labels(L labels, int classes, const char* what = "the labels") {
  check_labels(labels, classes, what, [](long long) { return false; });
}

/// Fails, naming the row, at the first weight that is not one (is_weight).
template <RowWeights Weights>
void check_weights(Weights weights) {
  for (std::size_t row = 0; row < weights.size(); ++row)
    if (!is_weight(static_cast<double>(weights[row])))
      fail("the weight of row " + std::to_string(row) + " is " + exact_text(weights[row]) + ", expected " +
           weight_range + "; scale all weights alike, or give the row a weight of 0 to leave it out");
}

/// One more than the largest label; 0 without rows. Fails at a negative label.
template <Labels L>
int class_count(L labels) {
  check_labels(labels, 0x7fffffff);
  int count = 0;
  for (const auto label : labels)
    if (static_cast<long long>(label) >= count) count = static_cast<int>(label) + 1;
  return count;
}
template <Dataset D>
  requires has_labels<D>
int class_count(const D& data) {
  return class_count(data.targets());
}

/// Fails, naming the row and the place in it, at the first NaN or infinity, and above the `largest` number of the type
/// that reads them. Bytes cannot hold one.
template <class T, class S>
void check_finite(const TensorView<T, S>& rows, const char* what = "the inputs",
                  double largest = std::numeric_limits<double>::max()) {
  if constexpr (std::is_floating_point_v<std::remove_const_t<T>>) {
    const bool narrows = largest < static_cast<double>(std::numeric_limits<std::remove_const_t<T>>::max());
    if (!narrows && rows.contiguous() && all_finite(rows.data, rows.rows * static_cast<std::size_t>(S::size))) return;
    for (std::size_t row = 0; row < rows.rows; ++row)
      for (int c = 0; c < S::dims.channels; ++c)
        for (int y = 0; y < S::dims.height; ++y)
          for (int x = 0; x < S::dims.width; ++x) {
            const T& value = rows.row(row)[c * rows.channel_stride + y * rows.height_stride + x * rows.width_stride];
            if (is_finite(value) && (!narrows || std::abs(static_cast<double>(value)) <= largest)) continue;
            detail::fail_number(row, detail::place_text(S::dims, c, y, x), what, static_cast<double>(value), largest);
          }
  }
}

namespace detail {
/// The same of what `by` makes of them.
template <class T, class S>
void check_scaled(const TensorView<T, S>& rows, const Normalize& by, double largest) {
  const double scale = static_cast<double>(by.scale), shift = static_cast<double>(by.shift);
  for (std::size_t row = 0; row < rows.rows; ++row)
    for (int c = 0; c < S::dims.channels; ++c)
      for (int y = 0; y < S::dims.height; ++y)
        for (int x = 0; x < S::dims.width; ++x) {
          const auto given = static_cast<double>(
              rows.row(row)[c * rows.channel_stride + y * rows.height_stride + x * rows.width_stride]);
          const double scaled = given * scale + shift;
          if (!(scaled >= -largest && scaled <= largest))
            fail_number(row, place_text(S::dims, c, y, x), "the inputs, scaled by their Normalize,", scaled, largest);
        }
}
}  // namespace detail

/// Inputs and their scale, targets where they are numbers, and weights, for a network of `Scalar`s; numbers in the
/// memory of a device are not checked.
template <class Scalar = double, Dataset D>
void check_finite(const D& data) {
  constexpr auto largest = static_cast<double>(std::numeric_limits<Scalar>::max());
  normalize_of(data).template check<typename inputs_of<D>::Value>();
  if constexpr (std::is_same_v<typename inputs_of<D>::Space, HostMemory>)
    check_finite(data.inputs(), "the inputs", largest);
  if constexpr (std::is_same_v<typename inputs_of<D>::Space, HostMemory> && !needs_scale<typename inputs_of<D>::Value>)
    if (normalize_of(data) != Normalize{}) detail::check_scaled(data.inputs(), normalize_of(data), largest);
  if constexpr (!has_labels<D>)
    if constexpr (std::is_same_v<typename targets_of<D>::Space, HostMemory>)
      check_finite(data.targets(), "the targets", largest);
  if constexpr (HasWeights<D>) check_weights(data.weights());
}

SINTER_NAMESPACE_END

#if SINTER_BODIES
#include "sinter/data/check.ipp"
#endif
