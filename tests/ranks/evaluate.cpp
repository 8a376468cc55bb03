// SPDX-License-Identifier: MIT
// labels: threads
// Ranks that evaluate: each forwards a stretch of the rows.
#include "sinter/train/evaluate.hpp"

#include <cstddef>
#include <string>
#include <vector>

#include "ranks/same_bits.hpp"
#include "sinter/layers/activation.hpp"
#include "sinter/layers/heads.hpp"
#include "sinter/layers/linear.hpp"
#include "sinter/loss/cross_entropy.hpp"
#include "sinter/loss/mse.hpp"
#include "sinter/loss/weighted_cross_entropy.hpp"
#include "sinter/train/evaluate_heads.hpp"
#include "sinter/train/heads.hpp"
#include "sinter/train/metrics.hpp"
#include "sinter/train/regression.hpp"
#include "support/error_of.hpp"

using namespace sinter::internal;
using namespace sinter_test;

namespace {

struct Model : Sequential<Input<6>, Linear<20>, ReLU, Linear<4>> {};
struct TwoHeads : Sequential<Input<6>, Heads<Path<Linear<3>>, Path<Linear<2>>>> {};

void add(std::vector<double>& numbers, const Evaluation& one) {
  numbers.push_back(one.loss);
  numbers.push_back(one.accuracy);
}

/// All that a dataset can be judged by.
std::vector<double> judged(const auto& net, std::size_t rows) {
  const auto x = inputs<Shape<6>>(rows);
  const auto targets = inputs<Shape<4>>(rows);
  const auto labels = labels_for(rows, 4);
  const std::vector<float> weights(rows, 0.3f);
  const auto data = dataset(x, labels);
  std::vector<double> numbers;
  add(numbers, evaluate(net, data, CrossEntropyLoss{}));
  add(numbers, evaluate(net, data, WeightedCrossEntropyLoss<4>{.weight = {1, 0.3, 2, 3}, .ignore_index = 2}));
  add(numbers, evaluate(net, dataset(x, labels, weights), CrossEntropyLoss{}));
  numbers.push_back(evaluate(net, dataset(x, targets), MSELoss{}).loss);
  numbers.push_back(score(net, data));
  numbers.push_back(top_k_accuracy(net, data, 2));
  numbers.push_back(regression(net, dataset(x, targets)).r2);
  const ConfusionMatrix matrix = confusion_matrix(net, data);
  for (int label = 0; label < 4; ++label) numbers.push_back(static_cast<double>(matrix(label, 1)));
  const auto outputs = predict(net, x);
  for (const float y : outputs.values()) numbers.push_back(static_cast<double>(y));
  return numbers;
}
std::vector<double> judged_by_heads(const auto& net, std::size_t rows) {
  const auto x = inputs<Shape<6>>(rows);
  Tensor<float, Shape<3>> targets(rows);
  for (std::size_t i = 0; i < rows; ++i) targets(i, 0) = static_cast<float>(i % 3);
  std::vector<double> numbers;
  const auto [kind, place] =
      evaluate_heads(net, dataset(x, targets), head_losses<TwoHeads>(CrossEntropyLoss{}, MSELoss{}));
  add(numbers, kind);
  numbers.push_back(place.loss);
  return numbers;
}

/// What ranks say is wrong, where work(world) runs on each.
std::string error_on(int ranks, const auto& work) {
  return error_of([&] { Threads(ranks, std::chrono::seconds(20)).run([&](Communicator& world) { work(world); }); });
}

}  // namespace

TEST_CASE("Evaluations and predictions have the same bits on any number of ranks") {
  for (const std::size_t rows : {std::size_t{1}, std::size_t{17}, std::size_t{150}, std::size_t{333}}) {
    CAPTURE(rows);
    check_same_bits<Model>([&](auto& net) { return judged(net, rows); }, {1, 2, 3, 5, 16});
    check_same_bits<TwoHeads>([&](auto& net) { return judged_by_heads(net, rows); }, {3});
  }
}

TEST_CASE("Each row is forwarded by one rank") {
  for (const int ranks : {1, 2, 3, 5}) {
    CAPTURE(ranks);
    std::mutex mutex;
    std::vector<int> forwarded(150);
    Threads(ranks).run([&](Communicator& world) {
      const Network<Model, Ranks<Host>> net{{world, Host{.threads = 2}}};
      const auto x = inputs<Shape<6>>(150);
      const auto labels = labels_for(150, 4);
      std::vector<unsigned char> all(150);
      const auto note = [&](std::size_t first, const float*, std::size_t count) {
        const std::lock_guard lock(mutex);
        for (std::size_t i = first; i < first + count; ++i) ++forwarded[i], all[i] = 1;
      };
      sinter::internal::detail::forward_all(net, dataset(x, labels), note, all.data());
      const std::lock_guard lock(mutex);
      CHECK(std::ranges::count(all, 1) == 150);
    });
    CHECK(std::ranges::count(forwarded, 1) == 150);
  }
}

TEST_CASE("Ranks that evaluate other rows or other weights are named") {
  const auto evaluated = [](Communicator& world, std::uint64_t seed, std::size_t rows) {
    const Network<Model, Ranks<Host>> net{{world}, {.seed = seed}};
    judged(net, rows);
  };
  CHECK(has(error_on(3, [&](Communicator& world) { evaluated(world, 1, world.rank() == 2 ? 40 : 41); }),
            "rank 2 differs from rank 0 in: the rows of the data (40, not 41). "));
  CHECK(has(error_on(2, [&](Communicator& world) { evaluated(world, world.rank() == 1 ? 2 : 1, 40); }),
            "rank 1 differs from rank 0 in: the weights. "));
}
