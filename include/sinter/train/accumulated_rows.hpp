// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "sinter/core/error.hpp"
#include "sinter/core/macros.hpp"
#include "sinter/loss/weight.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {

/// The rows whose gradients were accumulated since the last update.
class AccumulatedRows {
 public:
  bool empty() const { return rows_ == 0; }
  /// Fails if gradients of the other kind were added: of a mean over rows, by a loss, or of a sum, by the caller.
  void check_kind(bool mean) const {
    if (!empty() && mean != mean_) fail_kind(mean);
  }
  /// Their total weight.
  double weight() const { return weight_; }
  void clear() {
    rows_ = 0;
    weight_ = 0;
  }
  void add(std::size_t rows, double weight, bool mean) {
    rows_ += rows;
    mean_ = mean;
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
  [[noreturn]] SINTER_COLD static void fail_kind(bool mean) {
    fail(std::string(mean ? "accumulate() was called after backward()" : "backward() was called after accumulate()") +
         " for the same update, and a gradient cannot be both the mean over rows and a sum; call update() or clear() "
         "between them, or give backward() a dy for all rows");
  }

  std::size_t rows_ = 0;
  bool mean_ = false;
  double weight_ = 0;
  std::vector<std::uint32_t> positions_;
};

}  // namespace detail

SINTER_NAMESPACE_END
