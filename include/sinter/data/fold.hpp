// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <vector>

#include "sinter/core/error.hpp"
#include "sinter/core/macros.hpp"

SINTER_NAMESPACE_BEGIN

/// Rows [first, first + count) of a dataset, held out of training: to evaluate a network that learns from the others.
struct Fold {
  std::size_t first = 0, count = 0;

  /// The i-th row that is not held out.
  SINTER_FN std::size_t skip(std::size_t i) const { return i < first ? i : i + count; }
  friend constexpr bool operator==(const Fold&, const Fold&) = default;
};

/// The folds of a k-fold cross-validation over n rows: contiguous, in their order, the first n % k a row longer (as
/// scikit-learn's KFold without shuffling: rows that are sorted by class must be shuffled first).
std::vector<Fold> k_folds(std::size_t rows, int k);

SINTER_NAMESPACE_END

namespace sinter {
using internal::Fold;
using internal::k_folds;
}  // namespace sinter

#if SINTER_BODIES
#include "sinter/data/fold.ipp"
#endif
