// SPDX-License-Identifier: MIT
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "sinter/core/error.hpp"
#include "sinter/core/shape.hpp"

SINTER_NAMESPACE_BEGIN

struct HostMemory {};

/// Rows of one shape in memory owned elsewhere: [rows][S], with strides in elements, so that u8 images, HWC pictures
/// and columns of a larger table are read in place.
template <class T, class S, class Memory = HostMemory>
struct TensorView {
  using Value = T;
  using Shape = S;
  using Space = Memory;

  T* data = nullptr;
  std::size_t rows = 0;
  std::ptrdiff_t row_stride = S::size;
  std::ptrdiff_t channel_stride = S::dims.pixels();
  std::ptrdiff_t height_stride = S::dims.width;
  std::ptrdiff_t width_stride = 1;

  /// Row-major [rows][S]. The span must hold a whole number of rows.
  static TensorView from(std::span<T> values) {
    if (values.size() % S::size != 0)
      fail("a view of rows of " + std::to_string(S::size) + " numbers was given " + std::to_string(values.size()) +
           " numbers, which is not a multiple; pass whole rows");
    return {values.data(), values.size() / S::size};
  }
  constexpr bool contiguous() const {
    return row_stride == S::size && channel_stride == S::dims.pixels() && height_stride == S::dims.width &&
           width_stride == 1;
  }
  /// Rows [first, first + count).
  TensorView slice(std::size_t first, std::size_t count) const {
    if (first > rows || count > rows - first)
      fail(std::to_string(count) + " rows from row " + std::to_string(first) + " of a view of " + std::to_string(rows) +
           " rows were asked for");
    TensorView part = *this;
    part.data += static_cast<std::ptrdiff_t>(first) * row_stride;
    part.rows = count;
    return part;
  }
  T* row(std::size_t i) const { return data + static_cast<std::ptrdiff_t>(i) * row_stride; }
  T& operator()(std::size_t row_index, int feature) const
    requires(S::rank == 1)
  {
    return row(row_index)[feature * channel_stride];
  }
  T& operator()(std::size_t row_index, int channel, int place) const
    requires(S::rank == 2)
  {
    return row(row_index)[channel * channel_stride + place * width_stride];
  }
  T& operator()(std::size_t row_index, int channel, int y, int x) const
    requires(S::rank == 3)
  {
    return row(row_index)[channel * channel_stride + y * height_stride + x * width_stride];
  }
  // A template, because nvcc warns of a conversion to its own type.
  template <class U>
    requires(std::is_same_v<U, const T> && !std::is_const_v<T>)
  operator TensorView<U, S, Memory>() const {
    return {data, rows, row_stride, channel_stride, height_stride, width_stride};
  }
};

/// One row of a view, with any strides, in row-major order.
template <class T, class S, class Memory, class To>
void copy_row(const TensorView<T, S, Memory>& view, std::size_t row, To* to) {
  const T* from = view.row(row);
  for (int c = 0; c < S::dims.channels; ++c)
    for (int y = 0; y < S::dims.height; ++y)
      for (int x = 0; x < S::dims.width; ++x)
        *to++ = static_cast<To>(from[c * view.channel_stride + y * view.height_stride + x * view.width_stride]);
}

namespace detail {
/// An unsigned number, which a value of a row hardly is.
template <class Number>
inline constexpr bool may_count_rows = std::unsigned_integral<Number> && sizeof(Number) >= sizeof(unsigned);

/// A single whole number in braces might be meant as rows.
[[noreturn]] SINTER_COLD inline void fail_number_in_braces(long long number) {
  const std::string text = std::to_string(number);
  fail("a tensor was given the whole number " + text + " in braces, which hold values; write (" + text + ") for " +
       text + " rows of zeros, or {{" + text + "}} for the number");
}
}  // namespace detail

/// Owns rows of one shape, row-major [rows][S], in host memory.
template <class T, class S>
class Tensor {
 public:
  using Value = T;
  using Shape = S;

  Tensor() = default;
  /// Tensor x(5): five rows of zeros.
  explicit Tensor(std::size_t rows) : values_(numbers_of(rows)) {}
  /// Tensor x{{5, 6}}, or Tensor x{5, 6}: braces hold values, one or many. A single whole number, which might be meant
  /// as rows, needs two braces, {{5}}, or a point.
  Tensor(std::initializer_list<T> values) : Tensor(std::vector<T>(values)) {}
  template <std::integral Number>
    requires(!std::is_same_v<Number, T> && !detail::may_count_rows<Number>)
  Tensor(std::initializer_list<Number> values) : Tensor(converted(values)) {}
  template <class Rows>
    requires(!std::is_same_v<Rows, T> && detail::may_count_rows<Rows>)
  Tensor(std::initializer_list<Rows>) = delete;  // sinter: rows of zeros: x(rows), of a member x = Tensor<..>(rows)
  template <class First, class Second, class... More>
  Tensor(const First&, const Second&, const More&...) = delete;  // sinter: Tensor<float, Shape<2>> x(rows), or x{1, 2}
  explicit Tensor(std::vector<T> values) : values_(std::move(values)) {
    TensorView<T, S>::from(values_);  // refuses a part of a row
  }

  std::size_t rows() const { return values_.size() / S::size; }
  T* data() { return values_.data(); }
  const T* data() const { return values_.data(); }
  std::span<T> values() & { return values_; }
  std::span<const T> values() const& { return values_; }
  std::vector<T> values() && { return std::move(values_); }
  TensorView<T, S> view() & { return {values_.data(), rows()}; }
  TensorView<const T, S> view() const& { return {values_.data(), rows()}; }
  /// For a temporary: refused with a message.
  template <class Value = T>
  TensorView<const T, S> view() const&& {
    static_assert(
        std::is_void_v<Value>,
        "sinter: view() of a temporary Tensor would see memory that is gone; give the tensor a name first, or "
        "pass it as it is");
    return {};
  }
  operator TensorView<T, S>() { return view(); }
  operator TensorView<const T, S>() const { return view(); }
  template <class... Index>
  T& operator()(std::size_t row, Index... index) {
    return view()(row, index...);
  }
  template <class... Index>
  const T& operator()(std::size_t row, Index... index) const {
    return view()(row, index...);
  }

 private:
  template <class Number>
  static std::vector<T> converted(std::initializer_list<Number> values) {
    if (values.size() == 1) detail::fail_number_in_braces(static_cast<long long>(*values.begin()));
    std::vector<T> all;
    for (const Number value : values) {
      all.push_back(static_cast<T>(value));
      if constexpr (std::is_integral_v<T>)
        if (static_cast<long long>(all.back()) != static_cast<long long>(value))
          fail("the number " + std::to_string(value) +
               " was given for a tensor of another type of integers, which "
               "cannot hold it; give it that type");
    }
    return all;
  }
  static std::size_t numbers_of(std::size_t rows) {
    constexpr std::size_t n = static_cast<std::size_t>(S::size);
    if (rows > static_cast<std::size_t>(PTRDIFF_MAX) / sizeof(T) / n)  // -1 is a large number here
      fail("a tensor of " + std::to_string(rows) + " rows was asked for; no machine has that memory");
    return rows * n;
  }
  std::vector<T> values_;
};

SINTER_NAMESPACE_END

namespace sinter {
using internal::Tensor;
using internal::TensorView;
}  // namespace sinter
