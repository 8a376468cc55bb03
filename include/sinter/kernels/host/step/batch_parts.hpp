// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>

#include "sinter/core/macros.hpp"
#include "sinter/core/sum_tree.hpp"
#include "sinter/data/row_range.hpp"
#include "sinter/kernels/host/plan/slot_places.hpp"
#include "sinter/kernels/host/step/tile_group.hpp"

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

/// The multiply-adds of a forward pass for one sample.
template <class Plan>
constexpr double multiply_adds() {
  double sum = 0;
  for (const Op& op : Plan::Ops::ops) sum += static_cast<double>(op.multiply_adds());
  return sum;
}

/// Which of several ranks computes its parts of a batch: by default there is only one.
struct OwnRank {
  int rank = 0, ranks = 1;
};

/// What the division of a batch depends on, of the model and its plan.
struct DivisionFacts {
  int lanes, slot_size;
  int apart;                    // leaves begin at multiples of this many tiles
  bool layered;                 // by the plan `layer`
  int together, most_together;  // tiles of a group that a product takes at a time, and at most
  bool of_batch;                // all gradients are taken from the whole batch
  double multiply_adds;         // of a forward pass for one sample
};
template <class Plan>
inline constexpr DivisionFacts division_facts = [] {
  const int together = Plan::layered ? most_tiles<typename Plan::ISA> : 1, size = slot_size<Plan>;
  return DivisionFacts{.lanes = Plan::lanes,
                       .slot_size = size,
                       .apart = size > 0 ? together : 1,
                       .layered = Plan::layered,
                       .together = together,
                       .most_together = most_together<Plan>,
                       .of_batch = all_of_batch<Plan>,
                       .multiply_adds = multiply_adds<Plan>()};
}();

/// How a batch is divided for training. Contiguous tiles make a leaf, whose gradients are added one after another;
/// leaves are added by a SumTree. Both follow from model and batch alone. A part is the work that a thread takes at a
/// time: a node of the tree or, by the plan `layer`, contiguous leaves.
struct PartsOfBatch {
  /// Clearing and adding the sums of a leaf costs about 1 % of its tiles if they have this many multiply-adds for each
  /// number of a slot.
  static constexpr double worth = 1 << 8;
  /// The maximum number of leaves; up to `least`, whatever they cost.
  static constexpr int most = 64, least = 8;
  /// Threads take whole parts, one at a time: `least`, or enough for each that a thread that the system suspends delays
  /// the others little. Memory is bounded by `most` slots.
  static constexpr int parts_of_thread = 4;

  int lanes, apart;
  bool layered, sums_slots;
  int tiles, units;
  SumTree tree;
  int level = 0, count = 0;  // parts
  OwnRank own;
  int begin_part = 0, own_parts = 0, begin_sum = 0, own_sums = 0;  // of the rank

  /// `sums_of_leaves`: each leaf keeps its sum until all tiles are done. `threads` are those of all ranks.
  constexpr PartsOfBatch(const DivisionFacts& of, std::size_t batch, int threads, bool sums_of_leaves, OwnRank among)
      : lanes(of.lanes),
        apart(of.apart),
        layered(of.layered),
        sums_slots(of.slot_size > 0),
        tiles(static_cast<int>((batch + static_cast<std::size_t>(lanes) - 1) / static_cast<std::size_t>(lanes))),
        units(divide_up(tiles, apart)),
        tree(leaves_of(of, units)),
        own(among) {
    if (layered) {
      const int groups = divide_up(tiles, of.together),
                wanted = std::min(alone(of, batch) ? own.ranks : threads, groups);
      count = std::min(tree.leaves(), std::max(divide_up(tiles, of.most_together), wanted));
    } else {
      if (!sums_of_leaves) level = tree.level_of(std::max(least, parts_of_thread * threads));
      count = tree.count(level);
    }
    begin_part = first_part(among.rank), own_parts = first_part(among.rank + 1) - begin_part;
    begin_sum = first_sum(among.rank), own_sums = first_sum(among.rank + 1) - begin_sum;
  }

  constexpr SumTree::Node node(int part) const { return {level, part}; }
  constexpr int first_leaf(int part) const {
    return layered ? static_cast<int>(part_of(tree.leaves(), part, count)) : tree.begin(node(part));
  }
  /// The first tile of a leaf, and of a part.
  constexpr std::size_t first_tile(int leaf) const {
    return std::min(part_of(units, leaf, tree.leaves()) * static_cast<std::size_t>(apart),
                    static_cast<std::size_t>(tiles));
  }
  constexpr std::size_t begin(int part) const { return first_tile(first_leaf(part)); }
  constexpr int most_tiles_of_part() const {
    return divide_up(tree.leaves(), count) * divide_up(units, tree.leaves()) * apart;
  }

  /// The first part of a rank, and the first of their sums and tiles: the last ones are before those of the next rank.
  constexpr int first_part(int rank) const { return static_cast<int>(part_of(count, rank, own.ranks)); }
  constexpr int first_sum(int rank) const {
    return !sums_slots ? 0 : layered ? first_leaf(first_part(rank)) : first_part(rank);
  }
  constexpr std::size_t first_tile_of(int rank) const { return begin(first_part(rank)); }
  RowRange rows_of(int rank, std::size_t batch) const {
    const auto row_of = [&](std::size_t tile) { return std::min(tile * static_cast<std::size_t>(lanes), batch); };
    return {row_of(first_tile_of(rank)), row_of(first_tile_of(rank + 1))};
  }

  /// The number of sums that parts leave to be added, and of those that a thread keeps in addition.
  constexpr int sums() const { return !sums_slots ? 0 : layered ? tree.leaves() : count; }
  constexpr int sums_of_thread() const { return sums_slots ? SumTree::places(level) - 1 : 0; }

  /// The sum of numbers of the tiles, `stride` apart, in the order of the gradients.
  SINTER_SHARED double sum_over_tiles(const double* numbers, std::size_t stride = 1) const {
    double sums[32];
    tree.add(
        tree.root(),
        [&](int leaf, int place) {
          sums[place] = 0;
          for (std::size_t t = first_tile(leaf); t < first_tile(leaf + 1); ++t) sums[place] += numbers[t * stride];
        },
        [&](int place) { sums[place] += sums[place + 1]; });
    return sums[0];
  }

 protected:
  static constexpr bool alone(const DivisionFacts& of, std::size_t batch) {
    return of.of_batch && static_cast<double>(batch) * of.multiply_adds < least_shared;
  }

 private:
  static constexpr int leaves_of(const DivisionFacts& of, int units) {
    if (of.slot_size == 0) return units;
    const double tile = of.multiply_adds * of.lanes * of.apart;
    const double cheap = std::min<double>(units * tile / (worth * of.slot_size), most);
    return std::min(units, std::max(least, static_cast<int>(cheap)));
  }
};

/// The same of a plan.
template <class Plan>
struct BatchParts : PartsOfBatch {
  static constexpr bool has_sums = slot_size<Plan> > 0;

  constexpr BatchParts(std::size_t batch, int threads, bool sums_of_leaves, OwnRank among = {})
      : PartsOfBatch(division_facts<Plan>, batch, threads, sums_of_leaves, among) {}
  /// Whether a batch is too small to be worth sharing with other threads.
  static constexpr bool alone(std::size_t batch) { return PartsOfBatch::alone(division_facts<Plan>, batch); }
};

}  // namespace host_kernels

SINTER_NAMESPACE_END
