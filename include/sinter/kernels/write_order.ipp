// SPDX-License-Identifier: MIT
#pragma once

#include <numeric>

#include "sinter/core/shuffle.hpp"
#include "sinter/kernels/write_order.hpp"

SINTER_NAMESPACE_BEGIN

SINTER_FUNCTION void write_order(const EpochOrder& order, std::size_t size, std::vector<std::uint32_t>& rows) {
  const std::size_t sequences = size / order.chunks;
  rows.resize(size);
  if (order.shuffle)
    Permutation(sequences, order.seed, order.epoch).write(rows.data());
  else
    std::iota(rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(sequences), 0u);
  if (order.chunks > 1) {
    const std::vector<std::uint32_t> of_sequences(rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(sequences));
    for (std::size_t i = 0; i < size; ++i) {
      const std::size_t batch = i / order.sequences, chunk = batch % order.chunks,
                        sequence = batch / order.chunks * order.sequences + i % order.sequences;
      rows[i] = static_cast<std::uint32_t>(of_sequences[sequence] * order.chunks + chunk);
    }
  }
  for (std::uint32_t& row : rows) row = static_cast<std::uint32_t>(order.held_out.skip(row));
}

SINTER_NAMESPACE_END
