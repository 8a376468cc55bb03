// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>

#include "sinter/core/macros.hpp"

SINTER_NAMESPACE_BEGIN

/// The order in which n leaves are added: a balanced binary tree, whose shape follows from n alone. Node i of level l
/// is the sum of the leaves [i 2^l, (i + 1) 2^l), those from n on left out: the sum of nodes 2 i and 2 i + 1 of level
/// l - 1, or the first of them where the second has no leaves. The leaves of a node can be added without the others,
/// and the sum of all leaves has the same bits however the nodes are distributed.
class SumTree {
 public:
  struct Node {
    int level, index;
    constexpr bool operator==(const Node&) const = default;
  };

  explicit constexpr SumTree(int leaves) : leaves_(leaves) {}

  constexpr int leaves() const { return leaves_; }
  /// How many nodes a level has.
  constexpr int count(int level) const { return (leaves_ >> level) + ((leaves_ & ((1 << level) - 1)) != 0); }
  constexpr Node root() const { return {level_of(1), 0}; }
  /// The highest level with at least that many nodes; 0 if there are fewer leaves.
  constexpr int level_of(int parts) const {
    int level = 0;
    while (count(level) > 1 && count(level + 1) >= parts) ++level;
    return level;
  }
  /// The leaves of a node: [begin, end).
  constexpr int begin(Node node) const { return std::min(leaves_, node.index << node.level); }
  constexpr int end(Node node) const { return std::min(leaves_, (node.index + 1) << node.level); }

  /// f(node) for the fewest nodes that have the leaves [first, last), from left to right.
  template <class F>
  constexpr void for_each_node(int first, int last, F&& f) const {
    while (first < last) {
      Node node{0, first};
      for (Node above = node; above.index % 2 == 0 && above.level < root().level;) {
        above = {above.level + 1, above.index / 2};
        if (end(above) <= last) node = above;
      }
      f(node);
      first = end(node);
    }
  }

  /// Adds the leaves of a node: leaf(i, place) puts leaf i in a place, below `places` of the node's level, and
  /// merge(place) adds the content of place + 1 to that of place. In the end the sum is in place 0.
  template <class Leaf, class Merge>
  constexpr void add(Node node, Leaf&& leaf, Merge&& merge) const;
  static constexpr int places(int level) { return level + 1; }

 private:
  int leaves_;
};

/// The sums of nodes that wait for what they are added to, each in a place of its own: a binary counter. Nodes come
/// from left to right, and the first of them begins at leaf 0 or at the first leaf of the node to be summed.
class SumStack {
 public:
  /// The place for the sum of the next node.
  constexpr int place() const { return size_; }
  /// Call it with the node when its sum is complete. merge(place) adds the content of place + 1 to that of place.
  template <class Merge>
  constexpr void push(SumTree::Node node, Merge&& merge) {
    ++size_;
    for (int i = node.index; i % 2 == 1 && size_ > 1; i /= 2) merge(--size_ - 1);
  }
  /// After the last node: in place 0 is the sum of all.
  template <class Merge>
  constexpr void finish(Merge&& merge) {
    while (size_ > 1) merge(--size_ - 1);
  }

 private:
  int size_ = 0;
};

template <class Leaf, class Merge>
constexpr void SumTree::add(Node node, Leaf&& leaf, Merge&& merge) const {
  SumStack sums;
  for (int i = begin(node); i < end(node); ++i) {
    leaf(i, sums.place());
    sums.push({0, i}, merge);
  }
  sums.finish(merge);
}

SINTER_NAMESPACE_END
