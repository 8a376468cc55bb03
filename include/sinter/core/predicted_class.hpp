// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/core/finite.hpp"

SINTER_NAMESPACE_BEGIN

/// The place of the largest of n outputs, the first of equal ones; -1 where one of them is NaN: no class then.
template <class T>
SINTER_FN int predicted_class(const T* y, int n) {
  int best = 0;
  bool number = true;
  for (int i = 0; i < n; ++i) {
    number = number && !is_nan(y[i]);
    best = y[i] > y[best] ? i : best;
  }
  return number ? best : -1;
}

SINTER_NAMESPACE_END

namespace sinter {
using internal::predicted_class;
}  // namespace sinter
