// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/thrust/policy.cuh"

#include <thrust/iterator/counting_iterator.h>
#include <thrust/tabulate.h>
#include <thrust/transform_reduce.h>

#include <cmath>
#include <concepts>
#include <cstddef>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include "sinter/core/error.hpp"
#include "sinter/core/finite.hpp"
#include "sinter/data/check.hpp"
#include "sinter/data/normalize_columns.hpp"
#include "sinter/device/cuda_rows.cuh"
#include "sinter/kernels/cuda/kept_data.cuh"
#include "sinter/thrust/read_from_device.cuh"

SINTER_NAMESPACE_BEGIN

namespace detail {

/// Where number i of a column is among rows.
struct NumberOfColumn {
  std::size_t row_size, pixels, column;
  SINTER_FN std::size_t operator()(std::size_t i) const { return i / pixels * row_size + column * pixels + i % pixels; }
};

/// What the numbers of a column have in common; gaps (NaN) are left out.
struct ColumnSums {
  double sum = 0, lowest = std::numeric_limits<double>::infinity(), highest = -lowest;
  std::size_t count = 0, first_infinite = ~std::size_t{0};

  SINTER_FN friend ColumnSums operator+(const ColumnSums& a, const ColumnSums& b) {
    return {a.sum + b.sum, a.lowest < b.lowest ? a.lowest : b.lowest, a.highest > b.highest ? a.highest : b.highest,
            a.count + b.count, a.first_infinite < b.first_infinite ? a.first_infinite : b.first_infinite};
  }
};
template <class T>
struct SumsOfNumber {
  const T* numbers;
  NumberOfColumn place;
  SINTER_FN ColumnSums operator()(std::size_t i) const {
    const T x = numbers[place(i)];
    ColumnSums sums;
    if (is_nan(x)) return sums;
    const double number = static_cast<double>(x);
    sums.sum = sums.lowest = sums.highest = number;
    sums.count = 1;
    if (!is_finite(x)) sums.first_infinite = i;
    return sums;
  }
};
template <class T>
struct SquareOfNumber {
  const T* numbers;
  NumberOfColumn place;
  double mean;
  SINTER_FN double operator()(std::size_t i) const {
    const T x = numbers[place(i)];
    const double apart = static_cast<double>(x) - mean;
    return is_nan(x) ? 0 : apart * apart;
  }
};
struct Sum {
  template <class T>
  SINTER_FN T operator()(const T& a, const T& b) const {
    return a + b;
  }
};
template <class T>
struct Standardised {
  const T* numbers;
  const double *mean, *deviation;  // [columns]
  std::size_t columns, pixels;
  SINTER_FN T operator()(std::size_t i) const {
    const std::size_t column = i / pixels % columns;
    const T x = numbers[i];
    return is_nan(x) ? T(0) : static_cast<T>((static_cast<double>(x) - mean[column]) / deviation[column]);
  }
};

}  // namespace detail

/// The scale that gives each column of a table, or each channel of pictures and series, mean 0 and deviation 1, of rows
/// in the memory of a GPU: as standardise() of rows on the host, whose numbers differ by rounding, since the GPU adds
/// them up in another order. Two passes for each column, in double. Fails as there. Work on the rows must be on
/// `cuda`'s stream, or finished.
template <class T, class Row>
  requires std::floating_point<std::remove_const_t<T>>
NormalizeColumns standardise(const TensorView<T, Row, CudaMemory>& rows, const Cuda& cuda = {}) {
  using Number = std::remove_const_t<T>;
  constexpr std::size_t columns = static_cast<std::size_t>(Row::dims.channels),
                        pixels = static_cast<std::size_t>(Row::dims.pixels());
  gpu_kernels::require_contiguous(rows);
  const CurrentCudaDevice current(cuda.device);
  const auto policy = detail::thrust_policy(cuda);
  const thrust::counting_iterator<std::size_t> begin(0), end(rows.rows * pixels);
  NormalizeColumns result{std::vector<double>(columns), std::vector<double>(columns, 1)};
  for (std::size_t column = 0; column < columns; ++column) {
    const detail::NumberOfColumn place{Row::size, pixels, column};
    const detail::ColumnSums sums = thrust::transform_reduce(
        policy, begin, end, detail::SumsOfNumber<Number>{rows.data, place}, detail::ColumnSums{}, detail::Sum{});
    if (sums.first_infinite < rows.rows * pixels) {
      const int pixel = static_cast<int>(sums.first_infinite % pixels), width = Row::dims.width;
      const Number infinite = detail::read_from_device(rows.data + place(sums.first_infinite), cuda);
      detail::fail_number(sums.first_infinite / pixels,
                          detail::place_text(Row::dims, static_cast<int>(column), pixel / width, pixel % width),
                          "the inputs", static_cast<double>(infinite));
    }
    if (sums.count == 0)
      fail("column " + std::to_string(column) + " of " + std::to_string(rows.rows) +
           " rows has no number to take a mean of; leave the column out, or give more rows");
    const double mean = sums.lowest == sums.highest ? sums.lowest : sums.sum / static_cast<double>(sums.count);
    const double squares = thrust::transform_reduce(
        policy, begin, end, detail::SquareOfNumber<Number>{rows.data, place, mean}, 0.0, detail::Sum{});
    result.mean[column] = mean;
    if (squares > 0) result.deviation[column] = std::sqrt(squares / static_cast<double>(sums.count));
  }
  return result;
}

/// Scales rows in the memory of a GPU in place, as NormalizeColumns::apply does those on the host:
///     apply_columns<Shape<3, 32, 32>>(standardise(device_rows<Shape<3, 32, 32>>(pictures)), pictures);
/// `numbers` is a thrust::device_vector or a CudaArray of rows of this shape. Fails if they have other columns.
template <class Row, class Vector>
void apply_columns(const NormalizeColumns& scale, Vector& numbers, const Cuda& cuda = {}) {
  const auto rows = device_rows<Row>(numbers);
  using T = std::remove_const_t<typename decltype(rows)::Value>;
  static_assert(std::floating_point<T>, "sinter: apply_columns() scales rows of float or double");
  constexpr std::size_t columns = static_cast<std::size_t>(Row::dims.channels);
  scale.check<T>(columns);
  const CurrentCudaDevice current(cuda.device);
  CudaArray<double> mean(cuda, columns), deviation(cuda, columns);
  mean.upload(scale.mean.data(), columns);
  deviation.upload(scale.deviation.data(), columns);
  T* const data = const_cast<T*>(rows.data);  // of `numbers`, which may change
  thrust::tabulate(detail::thrust_policy(cuda), data, data + numbers.size(),
                   detail::Standardised<T>{data, mean.data(), deviation.data(), columns,
                                           static_cast<std::size_t>(Row::dims.pixels())});
}

SINTER_NAMESPACE_END

namespace sinter {
using internal::apply_columns;
using internal::standardise;
}  // namespace sinter
