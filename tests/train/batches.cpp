// SPDX-License-Identifier: MIT
// labels: large sanitized
#include "sinter/data/batches.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "sinter/data/disc.hpp"
#include "sinter/data/zip_batches.hpp"
#include "sinter/layers/activation.hpp"
#include "sinter/layers/linear.hpp"
#include "sinter/loss/cross_entropy.hpp"
#include "sinter/loss/mse.hpp"
#include "sinter/optimizer/sgd.hpp"
#include "sinter/train/fit.hpp"
#include "support/error_of.hpp"

using namespace sinter::internal;

namespace {
struct Model : Sequential<Input<2>, Linear<8>, Tanh, Linear<2>> {};

template <class Net>
bool same(const Net& a, const Net& b) {
  return std::equal(a.data(), a.data() + Program<Model>::arena_size, b.data());
}
}  // namespace

TEST_CASE("a loop over batches makes the steps of fit") {
  const auto points = disc(53, 1);
  Network<Model> net{{.seed = 9}}, fitted{{.seed = 9}};
  Trainer trainer{net, CrossEntropyLoss{}, SGD{.lr = 0.1, .momentum = 0.9}};
  for (std::uint32_t epoch = 0; epoch < 3; ++epoch)
    for (const auto& batch : batches(points, {.batch_size = 10, .seed = 9, .epoch = epoch})) trainer.step(batch);
  fit(fitted, points, CrossEntropyLoss{}, SGD{.lr = 0.1, .momentum = 0.9}, {.batch_size = 10, .epochs = 3});
  CHECK(trainer.steps() == 18);
  CHECK(same(net, fitted));
}

namespace {
/// Counts those that there are.
struct Counted : LabelledData<float, Shape<2>, std::uint8_t> {
  inline static int count = 0;
  explicit Counted(std::size_t rows) : LabelledData(disc(rows, 1)) { ++count; }
  Counted(Counted&& other) : LabelledData(std::move(other)) { ++count; }
  ~Counted() { --count; }
};
}  // namespace

TEST_CASE("a temporary dataset lives as long as its batches, and so does a view of one with a name") {
  const auto points = disc(53, 1);
  std::vector<float> wanted, given;
  for (const auto& batch : batches(points, {.batch_size = 10})) wanted.push_back(batch.inputs()(0, 0));
  for (const auto& batch : batches(Counted(53), {.batch_size = 10})) {
    CHECK(Counted::count == 1);
    given.push_back(batch.inputs()(0, 0));
  }
  CHECK(given == wanted);
  CHECK(Counted::count == 0);
  std::size_t rows = 0;
  for (const auto& batch : batches(subset(points, 3, 20), {.batch_size = 10})) rows += batch.size();
  CHECK(rows == 20);
}

TEST_CASE("each row once in an epoch, in another order in the next; rows of targets; bytes with their scale") {
  std::vector<std::uint8_t> bytes(14);
  std::vector<float> wanted(14);
  for (std::size_t i = 0; i < 14; ++i) bytes[i] = static_cast<std::uint8_t>(i), wanted[i] = static_cast<float>(i) / 2;
  const TensorView<const std::uint8_t, Shape<2>> x{bytes.data(), 7};
  const TensorView<const float, Shape<2>> y{wanted.data(), 7};
  const auto data = dataset(x, y, Normalize::pixels(0.5f, 0.25f));
  std::set<std::vector<std::uint32_t>> orders;
  for (std::uint32_t epoch = 0; epoch < 4; ++epoch) {
    std::vector<std::uint32_t> order;
    std::vector<std::size_t> sizes;
    for (const auto& batch : batches(data, {.batch_size = 3, .epoch = epoch})) {
      sizes.push_back(batch.size());
      CHECK(batch.normalize() == data.normalize());
      for (std::size_t i = 0; i < batch.size(); ++i) {
        order.push_back(batch.rows()[i]);
        CHECK(batch.inputs()(i, 1) == bytes[2 * batch.rows()[i] + 1]);
        CHECK(batch.targets()(i, 1) == wanted[2 * batch.rows()[i] + 1]);
      }
    }
    CHECK(sizes == std::vector<std::size_t>{3, 3, 1});
    CHECK(std::set<std::uint32_t>(order.begin(), order.end()).size() == 7);
    orders.insert(order);
  }
  CHECK(orders.size() > 1);
  for (const auto& batch : batches(data, {.batch_size = 7, .shuffle = false})) CHECK(batch.rows()[6] == 6);
}

TEST_CASE("drop_last leaves out a batch that would be shorter, and nothing else") {
  const auto points = disc(53, 1);
  const auto sizes = [&](std::size_t batch_size) {
    std::vector<std::size_t> all;
    for (const auto& batch : batches(points, {.batch_size = batch_size, .drop_last = true}))
      all.push_back(batch.size());
    return all;
  };
  CHECK(sizes(10) == std::vector<std::size_t>{10, 10, 10, 10, 10});
  CHECK(sizes(53) == std::vector<std::size_t>{53});
  CHECK(sizes(54).empty());
  Network<Model> net{{.seed = 9}}, fitted{{.seed = 9}};
  Trainer trainer{net, CrossEntropyLoss{}, SGD{.lr = 0.1, .momentum = 0.9}};
  for (std::uint32_t epoch = 0; epoch < 3; ++epoch)
    for (const auto& batch : batches(points, {.batch_size = 10, .seed = 9, .epoch = epoch, .drop_last = true}))
      trainer.step(batch);
  const History history = fit(fitted, points, CrossEntropyLoss{}, SGD{.lr = 0.1, .momentum = 0.9},
                              {.batch_size = 10, .epochs = 3, .drop_last = true});
  CHECK(trainer.steps() == 15);
  CHECK(history.samples_per_epoch == 50);
  CHECK(history.epochs.size() == 3);
  CHECK(same(net, fitted));
}

TEST_CASE("no rows, and batches of none") {
  const LabelledData<float, Shape<2>, int> none;
  int count = 0;
  for (const auto& batch : batches(none)) count += static_cast<int>(batch.size()) + 1;
  CHECK(count == 0);
  CHECK(error_of([&] { batches(none, {.batch_size = 0}); }).find("batch_size = 0") != std::string::npos);
}

TEST_CASE("two loops over the same batches, one in the other or side by side, each go through all of them") {
  const auto data = disc(10, 1);
  auto all = batches(data, {.batch_size = 4});
  std::vector<std::size_t> outer, inner;
  for (const auto& one : all) {
    outer.push_back(one.rows()[0]);
    for (const auto& other : all) inner.push_back(other.rows()[0]);
  }
  REQUIRE(outer.size() == 3);
  REQUIRE(inner.size() == 9);
  for (std::size_t i = 0; i < 9; ++i) CHECK(inner[i] == outer[i % 3]);
  std::size_t pairs = 0;
  for (const auto& [one, other] : zip(all, all))
    pairs += one.rows()[0] == other.rows()[0] && one.size() == other.size();
  CHECK(pairs == 3);
}

TEST_CASE("two datasets side by side: pairs of rows, or each with its own batches, until one ends") {
  const auto left = disc(53, 1), right = disc(53, 2), longer = disc(90, 3);
  std::size_t rows = 0;
  for (const auto& [a, b] : zip(left, right, {.batch_size = 10, .epoch = 2})) {
    CHECK(std::ranges::equal(a.rows(), b.rows()));
    for (std::size_t i = 0; i < a.size(); ++i) {
      CHECK(a.inputs()(i, 0) == left.inputs()(a.rows()[i], 0));
      CHECK(b.inputs()(i, 1) == right.inputs()(a.rows()[i], 1));
      CHECK(b.targets()[i] == right.targets()[a.rows()[i]]);
    }
    rows += a.size();
  }
  CHECK(rows == 53);
  std::vector<std::pair<std::size_t, std::size_t>> sizes;
  for (const auto& [a, b] : zip(batches(left, {.batch_size = 20}), batches(longer, {.batch_size = 20})))
    sizes.push_back({a.size(), b.size()});
  CHECK(sizes == std::vector<std::pair<std::size_t, std::size_t>>{{20, 20}, {20, 20}, {13, 20}});

  // Of those that have a name, of temporaries, of three; each gives what it gives alone.
  std::vector<float> alone, together;
  for (const auto& batch : batches(longer, {.batch_size = 30})) alone.push_back(batch.inputs()(0, 0));
  auto named = batches(longer, {.batch_size = 30});
  for (const auto& [a, b, c] : zip(named, batches(Counted(53), {.batch_size = 10}), batches(left))) {
    CHECK(Counted::count == 1);
    CHECK(b.size() == 10);
    together.push_back(a.inputs()(0, 0));
  }
  CHECK(Counted::count == 0);
  alone.resize(2);  // of 53 rows there are two batches of 32
  CHECK(together == alone);
  const LabelledData<float, Shape<2>, int> none;
  for (const auto& [a, b] : zip(none, left)) CHECK(a.size() + b.size() == 0);

  auto all = zip(left, right);
  auto at = all.begin();
  CHECK(std::get<0>(*at).size() == 32);
  ++at;
  CHECK(std::get<1>(*at).size() == 21);
  CHECK_FALSE(at == all.end());
}

TEST_CASE("the numbers of a tensor that is gone are not looked at") {
  const auto rows = [] { return Tensor<float, Shape<2>>{{1, 2, 3, 4}}; };
  float sum = 0;
  for (const float x : rows().values()) sum += x;
  CHECK(sum == 10);
  const auto numbers = rows().values();
  CHECK(numbers == std::vector<float>{1, 2, 3, 4});
}
