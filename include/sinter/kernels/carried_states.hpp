// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <utility>

#include "sinter/core/aligned.hpp"
#include "sinter/kernels/carried_numbers.hpp"

SINTER_NAMESPACE_BEGIN

/// The final states of the rows of a batch, which are the first ones of the same rows of the next batch; CarriedNumbers
/// says where each is.
template <class T>
class CarriedStates {
 public:
  /// States are carried from the next batch on, which begins with the initial states of the layers.
  void carry(bool on) {
    carries_ = on;
    reset();
  }
  /// The next batch begins with the initial states of the layers.
  void reset() { there_ = apart_ = false; }
  /// Before the forward pass of a batch, whose states are `numbers` numbers.
  void begin_batch(std::size_t numbers) {
    if (!carries_) return;
    if (!std::exchange(apart_, false)) std::swap(before_, after_);
    after_.grow(numbers);
    given_ = std::exchange(there_, true);
  }
  /// After a batch: the next one begins as it did, unless `count_apart` says that it counts. Returns whether states are
  /// carried from it.
  void set_apart() {
    if (!carries_) return;
    there_ = given_;
    apart_ = true;
  }
  bool count_apart() {
    if (!std::exchange(apart_, false)) return false;
    return there_ = true;
  }
  /// The numbers from the i-th on that the batch begins with, null if its layers say which, and those that it leaves,
  /// null if nothing is carried.
  const T* before(std::size_t i) const { return carries_ && given_ ? before_.data() + i : nullptr; }
  T* after(std::size_t i) { return carries_ ? after_.data() + i : nullptr; }

 private:
  AlignedArray<T> before_, after_;
  bool carries_ = false, there_ = false, given_ = false, apart_ = false;
};

SINTER_NAMESPACE_END
