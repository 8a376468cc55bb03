// SPDX-License-Identifier: MIT
// labels: threads slow large sanitized
// The gradients and losses of a batch are sums by a tree, whose shape follows from model and batch alone.
#include <doctest/doctest.h>

#include <cmath>
#include <cstring>
#include <initializer_list>
#include <vector>

#include "sinter/layers/embedding.hpp"
#include "sinter/layers/group_norm.hpp"
#include "support/host.hpp"
#include "support/networks.hpp"
#include "support/sanitized.hpp"

using namespace sinter::internal;
using namespace sinter_test;
using host_kernels::BatchParts;

namespace {

struct Plain : Sequential<Input<2, 23, 25>, Conv2d<3, 3, Padding<1>>, Tanh, AvgPool2d<6>, Flatten, Linear<5>> {};
// Both convolutions skip zeros: with the taps of a row in the lanes, and with channels.
struct Sparse : Sequential<Input<1, 32, 32>, Conv2d<3, 3>, MaxPool2d<2>, ReLU, Conv2d<9, 3>, Dropout<0.5>, ReLU,
                           AvgPool2d<6>, Flatten, Linear<4>> {};
struct Normed : Sequential<Input<1, 6, 6>, Conv2d<3, 3, NoBias>, BatchNorm2d<>, ReLU, Conv2d<2, 2>, BatchNorm2d<>, Tanh,
                           Flatten, Linear<3>> {};
struct Layers : Sequential<Input<6>, Linear<9>, LayerNorm<>, Tanh, Linear<25>, Linear<4>> {};
struct Perceptron : Sequential<Input<6>, Linear<40>, Tanh, Linear<4>> {};
// A table has far more numbers than a sample has multiply-adds.
struct Table : Sequential<Input<3>, Embedding<5000, 16>, Flatten, Linear<4>> {};

template <class Model>
using Plan = TilePlan<Model, float, isa::Native>;
static_assert(Plan<Layers>::layered && host_kernels::slot_size<Plan<Layers>> > 0);
static_assert(Plan<Perceptron>::layered && host_kernels::slot_size<Plan<Perceptron>> == 0);
static_assert(Plan<Sparse>::sparse(0) && Plan<Sparse>::sparse(1) && !Plan<Sparse>::taps_in_lanes(1));

/// Rows of a batch from `first` on.
struct Rows {
  const Batch<float>& all;
  std::size_t first;
  int label(std::size_t row) const { return all.label(first + row); }
  const float* row(std::size_t row) const { return all.row(first + row); }
};
struct Sums {
  double loss;
  std::vector<float> gradient;
  bool operator==(const Sums& other) const {
    return std::memcmp(&loss, &other.loss, sizeof loss) == 0 &&
           std::memcmp(gradient.data(), other.gradient.data(), gradient.size() * sizeof(float)) == 0;
  }
};
template <class Model>
Sums sums_of(HostUnderTest<Model, float>& host, const Batch<float>& all, std::size_t first, std::size_t rows) {
  Sums sums{0, std::vector<float>(Program<Model>::arena_size)};
  const Rows targets{all, first};
  sums.loss =
      host.accumulate_parameters(all.parameters.data(),
                                 TrainingBatch<const float*, Rows>{all.x.data() + first * all.inputs, rows, targets,
                                                                   all.samples.data() + first, all.key},
                                 GivenGradient{}, {0.125f, sums.gradient.data()});
  return sums;
}

/// The leaves of a batch, each as a batch of its own, added by the tree.
template <class Model>
Sums sum_of_leaves(const Batch<float>& all) {
  const BatchParts<Plan<Model>> parts(all.rows, 1, false);
  HostUnderTest<Model, float> host;
  std::vector<Sums> sums(32);
  parts.tree.add(
      parts.tree.root(),
      [&](int leaf, int place) {
        const std::size_t first = parts.first_tile(leaf) * Plan<Model>::lanes,
                          end = std::min(all.rows, parts.first_tile(leaf + 1) * Plan<Model>::lanes);
        sums[static_cast<std::size_t>(place)] = sums_of(host, all, first, end - first);
      },
      [&](int place) {
        Sums &to = sums[static_cast<std::size_t>(place)], &from = sums[static_cast<std::size_t>(place) + 1];
        to.loss += from.loss;
        for (std::size_t i = 0; i < to.gradient.size(); ++i) to.gradient[i] += from.gradient[i];
      });
  return sums[0];
}

}  // namespace

TEST_CASE_TEMPLATE("a gradient is the sum of those of its leaves, by the tree", Model, Plain, Sparse) {
  static_assert(host_kernels::slot_size<Plan<Model>> == Program<Model>::arena_size);
  for (const std::size_t tiles : std::initializer_list<std::size_t>{1, 2, 3, 5, 8, 9, 25, 64}) {
    CAPTURE(tiles);
    const std::size_t rows = tiles * Plan<Model>::lanes - 1;
    REQUIRE(BatchParts<Plan<Model>>(rows, 1, false).tree.leaves() == static_cast<int>(tiles));
    const Batch<float> batch{Problem<Model>(rows, static_cast<unsigned>(rows))};
    HostUnderTest<Model, float> host(2);
    CHECK(sums_of(host, batch, 0, rows) == sum_of_leaves<Model>(batch));
  }
}

TEST_CASE_TEMPLATE("the same bits for any number of threads", Model, Plain, Sparse, Normed, Layers, Perceptron, Table) {
  constexpr std::size_t sizes[] = {1, 7, 8, 9, 63, 64, 65, 200, 512, 513};
  std::vector<Batch<float>> batches;
  for (const std::size_t rows : sizes) {
    batches.emplace_back(Problem<Model>(rows, static_cast<unsigned>(rows)));
    if constexpr (std::is_same_v<Model, Table>)
      for (float& x : batches.back().x) x = static_cast<float>(static_cast<int>(1e6f * std::abs(x)) % 5000);
  }
  std::vector<Sums> one;
  for (const int threads : std::initializer_list<int>{1, 2, 3, 4, 7, 16}) {
    if (threads > unless_sanitized(16, 4)) continue;
    CAPTURE(threads);
    HostUnderTest<Model, float> host(threads);
    for (std::size_t i = 0; i < batches.size(); ++i) {
      CAPTURE(batches[i].rows);
      Sums sums = sums_of(host, batches[i], 0, batches[i].rows);
      if (threads == 1)
        one.push_back(std::move(sums));
      else
        CHECK(sums == one[i]);
    }
  }
}

TEST_CASE_TEMPLATE("leaves follow from the batch alone, and parts cover them", Model, Plain, Normed, Layers, Perceptron,
                   Table) {
  using Parts = BatchParts<Plan<Model>>;
  for (const std::size_t rows : std::initializer_list<std::size_t>{1, 7, 8, 9, 63, 64, 65, 200, 512, 513, 10000}) {
    CAPTURE(rows);
    const Parts one(rows, 1, false);
    std::size_t end = 0;
    for (int leaf = 0; leaf < one.tree.leaves(); ++leaf) {
      CHECK(one.first_tile(leaf) == end);
      end = one.first_tile(leaf + 1);
      CHECK(one.first_tile(leaf) < end);
    }
    CHECK(static_cast<int>(end) == one.tiles);
    for (const bool sums_of_leaves : {false, true})
      for (int threads = 1; threads <= 70; ++threads) {
        CAPTURE(threads);
        const Parts parts(rows, threads, sums_of_leaves);
        REQUIRE(parts.tree.leaves() == one.tree.leaves());
        CHECK(parts.first_leaf(0) == 0);
        CHECK(parts.first_leaf(parts.count) == parts.tree.leaves());
        for (int part = 0; part < parts.count; ++part) {
          CHECK(parts.begin(part) < parts.begin(part + 1));
          CHECK(static_cast<int>(parts.begin(part + 1) - parts.begin(part)) <= parts.most_tiles_of_part());
        }
        // Memory is bounded.
        CHECK(parts.sums() + threads * parts.sums_of_thread() <= Parts::most);
      }
  }
}

TEST_CASE("how many leaves") {
  constexpr std::size_t lanes = Plan<Plain>::lanes;
  const auto leaves = []<class Model>(std::type_identity<Model>, std::size_t tiles) {
    return BatchParts<Plan<Model>>(tiles * lanes, 1, false).tree.leaves();
  };
  const std::type_identity<Plain> plain;
  const std::type_identity<Table> table;
  for (const int tiles : {1, 2, 7, 8, 9, 25, 63, 64})
    CHECK(leaves(plain, static_cast<std::size_t>(tiles)) == tiles);  // 64 threads have work
  for (const int tiles : {65, 100, 10000}) CHECK(leaves(plain, static_cast<std::size_t>(tiles)) == 64);
  for (const int tiles : {64, 100, 10000}) CHECK(leaves(table, static_cast<std::size_t>(tiles)) == 8);
  CHECK(leaves(table, 1) == 1);
}
