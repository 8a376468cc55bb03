// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>

#include "sinter/core/macros.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {

/// The rows of a batch in nearly equal micro-batches, at most as many as there are rows.
class MicroBatches {
 public:
  MicroBatches(std::size_t rows, std::size_t wanted) : rows_(rows), count_(std::min(rows, wanted)) {}

  std::size_t count() const { return count_; }
  std::size_t most_rows() const { return count_ == 0 ? 0 : (rows_ + count_ - 1) / count_; }
  /// How many ticks it takes until the last one has gone through, if each takes so many more than it comes after.
  int ticks(int more) const { return count_ == 0 ? 0 : static_cast<int>(count_) + more; }

  /// f(number, first row, rows) if there is a micro-batch of that number.
  template <class F>
  void at(int number, F&& f) const {
    if (number < 0 || static_cast<std::size_t>(number) >= count_) return;
    const auto m = static_cast<std::size_t>(number);
    const std::size_t first = rows_ * m / count_;
    f(m, first, rows_ * (m + 1) / count_ - first);
  }

 private:
  std::size_t rows_, count_;
};

}  // namespace detail

SINTER_NAMESPACE_END
