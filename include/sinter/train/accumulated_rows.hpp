// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sinter/loss/weight.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {

/// The rows whose gradients were accumulated since the last update.
class AccumulatedRows {
 public:
  bool empty() const { return rows_ == 0; }
  /// Their total weight.
  double weight() const { return weight_; }
  void clear() {
    rows_ = 0;
    weight_ = 0;
  }
  void add(std::size_t rows, double weight) {
    rows_ += rows;
    weight_ += weight;
  }

  /// The fraction of the gradient so far in the mean over all rows, when rows of this weight are added.
  double fraction_of_these(double more) const { return weight_ + more > 0 ? weight_ / (weight_ + more) : 1; }
  double mean_factor(double more) const { return detail::mean_factor(weight_ + more); }

  /// The key of the masks of a batch without a dataset: its rows, counted since the last update.
  const std::uint32_t* positions(std::size_t count) {
    while (positions_.size() < rows_ + count) positions_.push_back(static_cast<std::uint32_t>(positions_.size()));
    return positions_.data() + rows_;
  }

 private:
  std::size_t rows_ = 0;
  double weight_ = 0;
  std::vector<std::uint32_t> positions_;
};

}  // namespace detail

SINTER_NAMESPACE_END
