// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

#include "sinter/ops/op.hpp"

SINTER_NAMESPACE_BEGIN

/// Where the states of a model's recurrences are among the numbers that a row carries from one batch to the next: of
/// each h, and after it as many numbers as it has units, for c.
template <class Ops>
struct CarriedNumbers {
  /// The first of op `number`; for the number of all ops, how many there are.
  static constexpr int at(int number) {
    int sum = 0;
    for (int i = 0; i < number; ++i) {
      const Op& op = Ops::ops[static_cast<std::size_t>(i)];
      if (op.kind == OpKind::recurrence) sum += op.h_size() + op.hidden;
    }
    return sum;
  }
  static constexpr int size = at(Ops::op_count);
  /// The same among those of all rows.
  static constexpr std::size_t of_row(std::size_t row, int number) {
    return row * std::size_t{size} + static_cast<std::size_t>(at(number));
  }
};

SINTER_NAMESPACE_END
