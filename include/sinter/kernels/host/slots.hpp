// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>

#include "sinter/kernels/host/group.hpp"

SINTER_NAMESPACE_BEGIN

namespace host_kernels {

/// Where part i of `parts` nearly equal parts of [0, n) begins.
constexpr std::size_t part_of(int n, int i, int parts) {
  return static_cast<std::size_t>(n) * static_cast<std::size_t>(i) / static_cast<std::size_t>(parts);
}

/// Multiply-adds of a forward pass from which on a batch is shared by threads: some 15 microseconds. With less,
/// fetching from another core's lines costs more than the second thread gains (docs/decisions/host.md).
inline constexpr double least_shared = 1 << 20;
/// Numbers of an arena from which on threads share it.
inline constexpr int least_shared_numbers = 1 << 16;

/// How a batch is cut for training: contiguous tiles to a slot, to which they add their gradients, whatever the number
/// of threads. Where all gradients are taken from the whole batch nothing is added, and a slot is as large as threads
/// and the cache let it be.
template <class Plan>
struct Slots {
  static constexpr int most = 8;
  static constexpr int together = Plan::layered ? most_tiles<typename Plan::ISA> : 1;
  static constexpr int apart = all_of_batch<Plan> ? 1 : together;  // slots begin at multiples of so many tiles
  int tiles, count;

  /// Whether a batch is not worth the hand-over to other threads.
  static bool alone(std::size_t batch) {
    double multiply_adds = 0;
    for (const Op& op : Plan::Ops::ops) multiply_adds += static_cast<double>(op.multiply_adds());
    return all_of_batch<Plan> && static_cast<double>(batch) * multiply_adds < least_shared;
  }
  Slots(std::size_t batch, int threads) : tiles(static_cast<int>((batch + Plan::lanes - 1) / Plan::lanes)) {
    if (all_of_batch<Plan>)
      count = std::max(divide_up(tiles, most_together<Plan>),
                       std::min(alone(batch) ? 1 : threads, divide_up(tiles, together)));
    else
      count = std::min(divide_up(tiles, together), most);
  }
  std::size_t begin(int slot) const {
    const std::size_t first = part_of(divide_up(tiles, apart), slot, count) * apart;
    return std::min(first, static_cast<std::size_t>(tiles));
  }
  int most_tiles_of_slot() const { return divide_up(divide_up(tiles, apart), count) * apart; }
};

}  // namespace host_kernels

SINTER_NAMESPACE_END
