// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include "sinter/core/shuffle.hpp"
#include "sinter/kernels/steps.hpp"

SINTER_NAMESPACE_BEGIN

/// The rows of an epoch in the order of its batches, `size` of them. Of sequences in chunks, whose number the batches
/// divide, the sequences have an order, and a batch of them goes from chunk to chunk.
inline void write_order(const EpochOrder& order, std::size_t size, std::vector<std::uint32_t>& rows) {
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
