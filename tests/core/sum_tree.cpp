// SPDX-License-Identifier: MIT
// labels: optimised
#include "sinter/core/sum_tree.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>
#include <string>
#include <vector>

namespace {

using sinter::internal::SumStack, sinter::internal::SumTree;
using Node = SumTree::Node;

/// By the definition: which sums a node is.
std::string node_of(int leaves, int level, int index) {
  if (level == 0) return std::to_string(index);
  const std::string left = node_of(leaves, level - 1, 2 * index);
  if (((2 * index + 1) << (level - 1)) >= leaves) return left;
  return "(" + left + "+" + node_of(leaves, level - 1, 2 * index + 1) + ")";
}
int levels_of(int leaves) {
  int levels = 0;
  while ((1 << levels) < leaves) ++levels;
  return levels;
}

/// Sums as they are made, in places.
template <class Sum, class Add>
struct Places {
  std::vector<Sum> sums;
  Add add;
  void put(int place, Sum sum) {
    sums.resize(std::max(sums.size(), static_cast<std::size_t>(place) + 1));
    sums[static_cast<std::size_t>(place)] = std::move(sum);
  }
  void merge(int place) {
    const auto at = static_cast<std::size_t>(place);
    sums[at] = add(sums[at], sums[at + 1]);
  }
};
const auto in_words = [](const std::string& a, const std::string& b) { return "(" + a + "+" + b + ")"; };
const auto in_floats = [](float a, float b) { return a + b; };

/// The sum of a node's leaves.
template <class Sum, class Add>
Sum sum_of(const SumTree& tree, Node node, const std::vector<Sum>& leaves, Add add) {
  Places<Sum, Add> places{{}, add};
  tree.add(
      node, [&](int i, int place) { places.put(place, leaves[static_cast<std::size_t>(i)]); },
      [&](int place) { places.merge(place); });
  CHECK(places.sums.size() <= static_cast<std::size_t>(SumTree::places(node.level)));
  return places.sums.empty() ? Sum{} : places.sums[0];
}
/// The sum of all leaves, of which each part [cuts[k], cuts[k + 1]) is added separately.
template <class Sum, class Add>
Sum sum_by_parts(const SumTree& tree, const std::vector<int>& cuts, const std::vector<Sum>& leaves, Add add) {
  std::vector<Node> nodes;
  std::vector<Sum> sums;
  for (std::size_t k = 0; k + 1 < cuts.size(); ++k) {
    int next = cuts[k], count = 0;
    tree.for_each_node(cuts[k], cuts[k + 1], [&](Node node) {
      CHECK(tree.begin(node) == next);
      next = tree.end(node);
      nodes.push_back(node);
      sums.push_back(sum_of(tree, node, leaves, add));
      ++count;
    });
    CHECK(next == cuts[k + 1]);
    CHECK(count <= 2 * levels_of(tree.leaves()) + 1);
  }
  Places<Sum, Add> places{{}, add};
  SumStack waiting;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    places.put(waiting.place(), sums[i]);
    waiting.push(nodes[i], [&](int place) { places.merge(place); });
  }
  waiting.finish([&](int place) { places.merge(place); });
  return places.sums.empty() ? Sum{} : places.sums[0];
}

std::vector<std::string> words(int leaves) {
  std::vector<std::string> all;
  for (int i = 0; i < leaves; ++i) all.push_back(std::to_string(i));
  return all;
}
std::vector<float> numbers(int leaves) {
  std::vector<float> all(static_cast<std::size_t>(leaves));
  std::mt19937 random(1);
  std::normal_distribution<float> normal;
  for (float& x : all) x = normal(random) * std::exp(4 * normal(random));
  return all;
}
bool same_bits(float a, float b) { return std::memcmp(&a, &b, sizeof a) == 0; }

}  // namespace

TEST_CASE("sums of few leaves") {
  const auto text = [](int leaves) {
    const SumTree tree(leaves);
    return sum_of(tree, tree.root(), words(leaves), in_words);
  };
  CHECK(text(0) == "");
  CHECK(text(1) == "0");
  CHECK(text(2) == "(0+1)");
  CHECK(text(3) == "((0+1)+2)");
  CHECK(text(5) == "(((0+1)+(2+3))+4)");
  CHECK(text(7) == "(((0+1)+(2+3))+((4+5)+6))");
}

TEST_CASE("the shape follows from the number of leaves") {
  for (int leaves = 0; leaves <= 200; ++leaves) {
    CAPTURE(leaves);
    const SumTree tree(leaves);
    REQUIRE(tree.root() == Node{levels_of(leaves), 0});
    CHECK(tree.begin(tree.root()) == 0);
    CHECK(tree.end(tree.root()) == leaves);
    for (int level = 0; level <= tree.root().level; ++level) {
      CAPTURE(level);
      REQUIRE(tree.count(level) == (leaves + (1 << level) - 1) / (1 << level));
      for (int i = 0; i < tree.count(level); ++i) {
        const Node node{level, i};
        REQUIRE(tree.begin(node) == i << level);
        REQUIRE(tree.end(node) == std::min(leaves, (i + 1) << level));
        CHECK(sum_of(tree, node, words(leaves), in_words) == node_of(leaves, level, i));
      }
    }
  }
}

TEST_CASE("nodes for a number of parts") {
  for (const int leaves : {0, 1, 2, 7, 8, 9, 25, 63, 64, 65, 200})
    for (int parts = 1; parts <= 70; ++parts) {
      CAPTURE(leaves);
      CAPTURE(parts);
      const SumTree tree(leaves);
      const int level = tree.level_of(parts);
      CHECK((tree.count(level) >= parts || level == 0));
      CHECK((tree.count(level) == tree.count(level + 1) || tree.count(level + 1) < parts));
    }
  static_assert(SumTree(25).level_of(8) == 1 && SumTree(64).level_of(8) == 3 && SumTree(25).level_of(1) == 5);
}

TEST_CASE("parts of any size are added to the same bits") {
  std::mt19937 random(2);
  for (int leaves = 0; leaves <= 200; ++leaves) {
    CAPTURE(leaves);
    const SumTree tree(leaves);
    const auto all = words(leaves);
    const auto floats = numbers(leaves);
    const std::string want = sum_of(tree, tree.root(), all, in_words);
    const float want_number = sum_of(tree, tree.root(), floats, in_floats);
    const auto check = [&](const std::vector<int>& cuts) {
      CHECK(sum_by_parts(tree, cuts, all, in_words) == want);
      CHECK(same_bits(sum_by_parts(tree, cuts, floats, in_floats), want_number));
    };
    for (const int parts : {1, 2, 3, 5, 7, 8, 16, 64}) {
      CAPTURE(parts);
      std::vector<int> even, uneven{0, leaves};
      for (int k = 0; k <= parts; ++k) even.push_back(leaves * k / parts);
      for (int k = 1; k < parts; ++k) uneven.push_back(static_cast<int>(random() % static_cast<unsigned>(leaves + 1)));
      std::sort(uneven.begin(), uneven.end());
      check(even);
      check(uneven);
      std::vector<int> nodes;
      const int level = tree.level_of(parts);
      for (int i = 0; i <= tree.count(level); ++i) nodes.push_back(std::min(leaves, i << level));
      check(nodes);
    }
  }
}

TEST_CASE("a part is as few nodes as can be") {
  for (const int leaves : {1, 2, 7, 8, 9, 25, 64}) {
    const SumTree tree(leaves);
    for (int first = 0; first <= leaves; ++first)
      for (int last = first; last <= leaves; ++last)
        tree.for_each_node(first, last, [&](Node node) {
          const Node above{node.level + 1, node.index / 2};
          CHECK((node == tree.root() || tree.begin(above) < first || tree.end(above) > last));
        });
  }
}

TEST_CASE("the order is not that of a plain sum") {
  const auto floats = numbers(100);
  const SumTree tree(100);
  float plain = 0;
  for (const float x : floats) plain += x;
  CHECK(!same_bits(plain, sum_of(tree, tree.root(), floats, in_floats)));
}
