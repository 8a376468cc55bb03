// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "sinter/data/fold.hpp"

SINTER_NAMESPACE_BEGIN

SINTER_FUNCTION std::vector<Fold> k_folds(std::size_t rows, int k) {
  if (k < 2 || static_cast<std::size_t>(k) > rows)
    fail("k_folds was asked for " + std::to_string(k) + " folds of " + std::to_string(rows) +
         " rows; ask for at least 2, and for no more than there are rows");
  const std::size_t folds = static_cast<std::size_t>(k);
  std::vector<Fold> all;
  for (std::size_t i = 0, first = 0; i < folds; ++i) {
    all.push_back({first, rows / folds + (i < rows % folds ? 1 : 0)});
    first += all.back().count;
  }
  return all;
}

SINTER_NAMESPACE_END
