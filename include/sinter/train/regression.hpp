// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <limits>
#include <vector>

#include "sinter/core/pack_sqrt.hpp"
#include "sinter/train/evaluate.hpp"

SINTER_NAMESPACE_BEGIN

/// How far the outputs of a network are from rows of numbers, with d = y - target; NaN where an output is:
///   mean_absolute_error = mean |d|,   root_mean_squared_error = sqrt(mean d^2),   over all numbers of all rows
///   r2 = 1 - sum d^2 / sum (target - mean target)^2 for each output, their mean, as scikit-learn's r2_score:
///   an output whose targets are all equal counts 1 if they are predicted exactly, else 0
struct RegressionMetrics {
  double mean_absolute_error = 0, root_mean_squared_error = 0, r2 = 0;
};

namespace detail {
template <class Net, Dataset D>
RegressionMetrics regression_checked(const Net& net, const D& data) {
  constexpr std::size_t n = static_cast<std::size_t>(Net::output_size);
  check_measurable<Net>(data, "regression");
  const std::size_t rows = data.size();
  const auto y = predict(net, data);
  std::vector<double> target(rows * n);
  for (std::size_t i = 0; i < rows; ++i) batch_targets(data).copy_row(i, target.data() + i * n);

  RegressionMetrics result;
  double squares = 0;
  for (std::size_t k = 0; k < n; ++k) {
    double sum = 0, residual = 0, total = 0, lowest = target[k], highest = target[k];
    for (std::size_t i = 0; i < rows; ++i) {
      const double one = target[i * n + k];
      sum += one;
      lowest = one < lowest ? one : lowest, highest = one > highest ? one : highest;
    }
    const double mean = lowest == highest ? lowest : sum / static_cast<double>(rows);
    for (std::size_t i = 0; i < rows; ++i) {
      const double d = static_cast<double>(y.data()[i * n + k]) - target[i * n + k];
      const double from_mean = target[i * n + k] - mean;
      result.mean_absolute_error += d < 0 ? -d : d;
      residual += d * d;
      total += from_mean * from_mean;
    }
    squares += residual;
    if (is_nan(residual))
      result.r2 = std::numeric_limits<double>::quiet_NaN();
    else
      result.r2 += total > 0 ? 1 - residual / total : residual > 0 ? 0 : 1;
  }
  const double numbers = static_cast<double>(rows * n);
  result.mean_absolute_error /= numbers;
  result.root_mean_squared_error = fn::sqrt(squares / numbers);
  result.r2 /= static_cast<double>(n);
  return result;
}
}  // namespace detail

/// The errors of a network over a dataset whose targets are rows of numbers. Fails on an empty one, and on a number in
/// the data that is not finite.
template <class Net, Dataset D>
RegressionMetrics regression(const Net& net, const D& data) {
  constexpr bool numbers = !has_labels<D>;
  static_assert(numbers, "sinter: regression compares with rows of numbers; for labels there are evaluate and score");
  if constexpr (numbers && check_inputs<Net, inputs_of<D>>() && check_scale<D>()) {
    constexpr bool shaped = has_rows_of<targets_of<D>, typename Net::OutputRow>;
    static_assert(shaped, "sinter: the targets do not have the shape of the network's output");
    if constexpr (shaped) return detail::regression_checked(net, data);
  }
  return {};
}

SINTER_NAMESPACE_END

namespace sinter {
using internal::regression;
using internal::RegressionMetrics;
}  // namespace sinter
