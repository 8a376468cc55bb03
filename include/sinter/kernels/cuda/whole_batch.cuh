// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>

#include "sinter/kernels/gpu/update.hpp"

SINTER_NAMESPACE_BEGIN

namespace gpu_kernels {

/// Slots [first, last) of a batch.
struct SlotRange {
  int first, last;
  int count() const { return last - first; }
};

/// What StepLauncher asks of a Division: here one GPU computes all of it. Ranks have SlotsOverRanks.
struct WholeBatch {
  static constexpr bool divides = false;
  static int rank() { return 0; }
  static int ranks() { return 1; }
  /// Those that are computed here.
  static SlotRange slot_range(int count) { return {0, count}; }
  /// The first number of the arena that is added up here.
  static int first_number(int /*arena*/) { return 0; }
  /// The slots of these numbers.
  template <class T>
  static SlotSums<T> own_numbers(const SlotSums<T>& all) {
    return all;
  }
  template <class T>
  static void share_numbers(T* /*numbers*/, int /*arena*/, std::uint32_t* /*flags*/, int /*flags_of_rank*/) {}
};

}  // namespace gpu_kernels

SINTER_NAMESPACE_END
