// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/core/unroll.hpp"

SINTER_NAMESPACE_BEGIN

namespace host_kernels {

/// The sum of 2^Level gradients at number i, in registers.
template <int Level, class V, class T>
SINTER_INLINE V sum_in_registers(const T* const* gradients, int i) {
  if constexpr (Level == 0)
    return V::load(*gradients + i);
  else
    return sum_in_registers<Level - 1, V>(gradients, i) +
           sum_in_registers<Level - 1, V>(gradients + (1 << (Level - 1)), i);
}

/// The node of a SumTree with this many levels that begins with slot `first`, of `count` slots: `Packs` packs of its
/// numbers, from i on. One function for all networks of a program: it needs no model.
template <class Isa, int Packs, class V, class T>
SINTER_SHARED void sum_of_slots(const T* const* gradients, int levels, int first, int count, int i, V* sum) {
  const int leaves = 1 << levels;
  if (levels <= 3 && first + leaves <= count)
    return with_constant<0, 3>(levels, [&](auto level) SINTER_LAMBDA {
      for (int k = 0; k < Packs; ++k)
        sum[k] = sum_in_registers<decltype(level)::value, V>(gradients + first, i + k * V::lanes);
    });
  sum_of_slots<Isa, Packs>(gradients, levels - 1, first, count, i, sum);
  if (first + leaves / 2 >= count) return;
  V right[Packs];
  sum_of_slots<Isa, Packs>(gradients, levels - 1, first + leaves / 2, count, i, right);
  for (int k = 0; k < Packs; ++k) sum[k] += right[k];
}

}  // namespace host_kernels

SINTER_NAMESPACE_END
