// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

#include "sinter/model/program.hpp"

SINTER_NAMESPACE_BEGIN

/// Who hands a gradient to a value, and in which order: its readers, the last one first, because backward goes through
/// the ops from behind. The first reader, which is the last one to hand, adds up what the others have stored.
template <class Model>
struct Reads {
  using Ops = Program<Model>;

  /// The number of a read among those of its value: input `k` of op `i`.
  static constexpr int rank(int i, int k) {
    const auto& value = Ops::values[index(Ops::ops[index(i)].inputs[k])];
    int rank = 0;
    while (Ops::readers[index(value.first_read + rank)] != i) ++rank;
    // An op that reads a value twice has a read for each.
    for (int before = 0; before < k; ++before)
      rank += Ops::ops[index(i)].inputs[before] == Ops::ops[index(i)].inputs[k];
    return rank;
  }
  static constexpr int count(int value) { return Ops::values[index(value)].read_count; }
  /// The number of a read in the network.
  static constexpr int number(int value, int rank) { return Ops::values[index(value)].first_read + rank; }

 private:
  static constexpr std::size_t index(int i) { return static_cast<std::size_t>(i); }
};

SINTER_NAMESPACE_END
