// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>
#include <type_traits>
#include <utility>

#include "sinter/data/dataset.hpp"
#include "sinter/data/finite.hpp"

SINTER_NAMESPACE_BEGIN

/// Fails, naming the row, at the first label outside 0 .. classes - 1. `what` names the labels in the message.
template <Labels L> void check_labels(L labels, int classes, const std::string& what = "the labels") {
  for (std::size_t row = 0; row < labels.size(); ++row)
    if (std::cmp_less(labels[row], 0) || std::cmp_greater_equal(labels[row], classes))
      fail("row " + std::to_string(row) + " of " + what + " is " + std::to_string(labels[row]) + ", expected 0 to " +
           std::to_string(classes - 1) + "; number the classes from 0, or give the network an output for each");
}

/// One more than the largest label; 0 without rows. Fails at a negative label.
template <Labels L> int class_count(L labels) {
  check_labels(labels, 0x7fffffff);
  int count = 0;
  for (const auto label : labels)
    if (std::cmp_greater_equal(label, count)) count = static_cast<int>(label) + 1;
  return count;
}
template <Dataset D>
  requires has_labels<D>
int class_count(const D& data) {
  return class_count(data.targets());
}

/// Fails, naming the row and the place in it, at the first NaN or infinity. Bytes cannot hold one.
template <class T, class S> void check_finite(const TensorView<T, S>& rows, const std::string& what = "the inputs") {
  if constexpr (std::is_floating_point_v<std::remove_const_t<T>>) {
    for (std::size_t row = 0; row < rows.rows; ++row)
      for (int c = 0; c < S::dims.channels; ++c)
        for (int y = 0; y < S::dims.height; ++y)
          for (int x = 0; x < S::dims.width; ++x) {
            const T& value = rows.row(row)[c * rows.channel_stride + y * rows.height_stride + x * rows.width_stride];
            if (is_finite(value)) continue;
            const std::string place = S::rank == 1 ? "feature " + std::to_string(c)
                                                   : "channel " + std::to_string(c) + ", pixel (" + std::to_string(y) +
                                                         ", " + std::to_string(x) + ")";
            fail("row " + std::to_string(row) + ", " + place + " of " + what + " is " + std::to_string(value) +
                 ", expected a finite number; remove the row or fill the gap");
          }
  }
}

/// Inputs and, where they are numbers, targets.
template <Dataset D> void check_finite(const D& data) {
  check_finite(data.inputs());
  if constexpr (!has_labels<D>) check_finite(data.targets(), "the targets");
}

SINTER_NAMESPACE_END
