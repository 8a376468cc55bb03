// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/core/number_text.hpp"
#include "sinter/data/normalize_columns.hpp"

SINTER_NAMESPACE_BEGIN

SINTER_FUNCTION void NormalizeColumns::check(std::size_t columns, double least, double most) const {
  if (mean.size() != columns || deviation.size() != columns)
    fail("rows of " + std::to_string(columns) + " columns were to be scaled by " + std::to_string(mean.size()) +
         " means and " + std::to_string(deviation.size()) +
         " deviations; take those of standardise() of rows with the same columns");
  for (std::size_t i = 0; i < columns; ++i) {
    const bool sound = is_finite(mean[i]) && is_finite(deviation[i]) && deviation[i] > 0;
    if (sound && mean[i] >= -most && mean[i] <= most && deviation[i] >= least && deviation[i] <= most) continue;
    fail("column " + std::to_string(i) + " was to be scaled by the mean " + exact_text(mean[i]) +
         " and the deviation " + exact_text(deviation[i]) +
         (!sound        ? "; give finite numbers, and a deviation above 0"
          : most < 1e39 ? ", expected a mean that a float can hold and a deviation whose inverse it can"
                        : ", expected a mean that a double can hold and a deviation whose inverse it can") +
         (sound ? "; give numbers of another unit" : ""));
  }
}

SINTER_NAMESPACE_END
