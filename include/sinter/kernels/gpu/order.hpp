// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>

#include "sinter/core/shuffle.hpp"
#include "sinter/data/fold.hpp"

SINTER_NAMESPACE_BEGIN

namespace gpu_kernels {

/// Where the order of an epoch is written, and what it is computed from.
struct OrderOfRows {
  std::uint32_t* to;  // as many as there are rows
  Permutation permutation;
  Fold held_out;
  bool shuffles = true;
  // As write_order has them: the permutation is that of the sequences.
  std::uint32_t chunks = 1, sequences = 1;

  SINTER_FN std::size_t at(std::uint32_t place) const {
    if (chunks == 1) return held_out.skip(permutation(place));
    const std::uint32_t batch = place / sequences, sequence = batch / chunks * sequences + place % sequences;
    const std::uint64_t chosen = shuffles ? permutation(sequence) : sequence;
    return held_out.skip(static_cast<std::size_t>(chosen * chunks + batch % chunks));
  }
};
/// Some rows of one of them.
struct PieceOfOrder {
  std::uint32_t which, first, count;
};

/// Makes the orders of some epochs, each once: what a step reads of it is then one number a row. A place of a
/// permutation takes up to 24 rounds and two long divisions.
struct MakeOrders {
  static constexpr bool whole_grid = false;
  static constexpr int threads = 256;
  static constexpr std::size_t piece = 1024;

  struct Args {
    const OrderOfRows* orders;
    const PieceOfOrder* pieces;  // [blocks]
  };

  template <class X>
  SINTER_FN static void run(X& x, const Args& a) {
    const PieceOfOrder own = a.pieces[x.block()];
    const OrderOfRows& order = a.orders[own.which];
    const auto to = x.global(order.to);
    x.items(static_cast<int>(own.count), [&](int i) {
      const std::uint32_t place = own.first + static_cast<std::uint32_t>(i);
      to[place] = static_cast<std::uint32_t>(order.at(place));
    });
  }
};

}  // namespace gpu_kernels

SINTER_NAMESPACE_END
