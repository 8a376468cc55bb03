// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/core/number_text.hpp"
#include "sinter/data/normalize_columns.hpp"

SINTER_NAMESPACE_BEGIN

SINTER_FUNCTION void NormalizeColumns::check(std::size_t columns) const {
  if (mean.size() != columns || deviation.size() != columns)
    fail("rows of " + std::to_string(columns) + " columns were to be scaled by " + std::to_string(mean.size()) +
         " means and " + std::to_string(deviation.size()) +
         " deviations; take those of standardise() of rows with the same columns");
  for (std::size_t i = 0; i < columns; ++i)
    if (!is_finite(mean[i]) || !is_finite(deviation[i]) || !(deviation[i] > 0))
      fail("column " + std::to_string(i) + " was to be scaled by the mean " + exact_text(mean[i]) +
           " and the deviation " + exact_text(deviation[i]) + "; give finite numbers, and a deviation above 0");
}

SINTER_NAMESPACE_END
