// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>

#include "sinter/data/row_range.hpp"
#include "sinter/ranks/communicator.hpp"
#include "sinter/ranks/same_on_all.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {

/// How ranks divide the rows of a dataset that they forward: each takes a range of whole tiles of `lanes` rows, and
/// then all get the results of all rows.
template <int lanes>
class RowsOverRanks {
 public:
  /// Null: one rank.
  explicit RowsOverRanks(Communicator* world) : world_(world != nullptr && world->size() > 1 ? world : nullptr) {}

  RowRange rows_to_read(std::size_t size) const {
    return world_ == nullptr ? RowRange{0, size} : rows_of(world_->rank(), size);
  }
  /// Each rank has its own part of `rows` [size][count_of_row]; afterwards it has all.
  template <class Value>
  void gather_rows(Value* rows, std::size_t size, std::size_t count_of_row = 1) const {
    if (world_ == nullptr) return;
    Exchange exchange(*world_);
    for (int rank = 0; rank < world_->size(); ++rank) {
      const auto [first, last] = rows_of(rank, size);
      exchange.share(rank, rows + first * count_of_row, (last - first) * count_of_row);
    }
    exchange.run();
  }

 private:
  RowRange rows_of(int rank, std::size_t size) const {
    const std::size_t tiles = (size + lanes - 1) / lanes, ranks = static_cast<std::size_t>(world_->size());
    const auto begin = [&](int r) { return std::min(tiles * static_cast<std::size_t>(r) / ranks * lanes, size); };
    return {begin(rank), begin(rank + 1)};
  }

  Communicator* world_;
};

}  // namespace detail

SINTER_NAMESPACE_END
