// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

#include "sinter/core/macros.hpp"

SINTER_NAMESPACE_BEGIN

/// Rows [first, last) of a batch.
struct RowRange {
  std::size_t first = 0, last = 0;
  friend constexpr bool operator==(const RowRange&, const RowRange&) = default;
};

namespace detail {

/// Reads all rows of each batch.
struct ReadsAll {
  static RowRange rows_to_read(std::size_t batch) { return {0, batch}; }
  template <class Value>
  static void gather_rows(Value* /*rows*/, std::size_t /*batch*/, std::size_t /*count_of_row*/ = 1) {}
};
inline constexpr ReadsAll reads_all{};

}  // namespace detail

SINTER_NAMESPACE_END
