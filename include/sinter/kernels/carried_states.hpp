// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <utility>

#include "sinter/core/aligned.hpp"
#include "sinter/ops/op.hpp"

SINTER_NAMESPACE_BEGIN

/// Where the states of a model's recurrences are among the numbers that a row carries from one batch to the next: of
/// each h, and after it as many numbers as it has units, for c.
template <class Ops>
struct CarriedNumbers {
  /// Those of op `number`; of the number of all ops, how many there are.
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

/// The final states of the rows of a batch, which are the first ones of the same rows of the next batch.
template <class T>
class CarriedStates {
 public:
  /// From the next batch on; its states are those that the layers begin with.
  void carry(bool on) {
    carries_ = on;
    reset();
  }
  void reset() { there_ = false; }  ///< the next batch begins with those of the layers
  /// Before a batch goes forward, whose states are so many numbers.
  void begin_batch(std::size_t numbers) {
    if (!carries_) return;
    std::swap(before_, after_);
    after_.grow(numbers);
    given_ = std::exchange(there_, true);
  }
  /// The numbers from the i-th on that the batch begins with, null if its layers say which, and those that it leaves,
  /// null if nothing is carried.
  const T* before(std::size_t i) const { return carries_ && given_ ? before_.data() + i : nullptr; }
  T* after(std::size_t i) { return carries_ ? after_.data() + i : nullptr; }

 private:
  AlignedArray<T> before_, after_;
  bool carries_ = false, there_ = false, given_ = false;
};

SINTER_NAMESPACE_END
