// SPDX-License-Identifier: MIT
// labels: cuda large gpu
#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "sinter/sinter.cuh"
#include "support/cuda_training.hpp"
#include "support/error_of.hpp"
#include "support/fake_cuda/fake_cuda.hpp"
#include "support/gradient_check.hpp"
#include "support/training.hpp"

using namespace sinter::internal;
using namespace sinter_test;
using namespace sinter_test::plans;

namespace {

/// What a use of a Trainer leaves: losses, gradients of inputs, weights.
struct Trace {
  std::vector<float> losses, input, weights;
};

template <class Model, class Device, class Optimizer, class Use>
Trace trace(const Optimizer& optimizer, const Use& use) {
  Network<Model, Device> net{{.seed = 9}};
  Trainer trainer{net, NLLLoss{}, optimizer};
  Trace trace;
  use(trainer, trace);
  trace.weights = values(net);
  return trace;
}

template <class Model, class Optimizer, class Use>
void compare(const Optimizer& optimizer, const Use& use) {
  const Trace got = trace<Model, Cuda>(optimizer, use), want = trace<Model, Host>(optimizer, use);
  CHECK(norm_error(got.losses, want.losses) < 1e-5);
  CHECK(norm_error(got.input, want.input) < 1e-5);
  CHECK(norm_error(got.weights, want.weights) < 1e-5);
}

template <class Model>
void check_plan() {
  using Row = typename Model::InputRow;
  const auto x = inputs<Row>(33);
  const auto labels = labels_for(33, 4);
  const auto dy = inputs<Shape<4>>(33, 0.1, 7);
  const auto batch = [&](std::size_t first, std::size_t count) { return x.view().slice(first, count); };
  const auto wanted = [&](std::size_t first, std::size_t count) {
    return std::span<const int>(labels).subspan(first, count);
  };

  compare<Model>(SGD{.lr = 0.05, .momentum = 0.9}, [&](auto& trainer, Trace& trace) {
    for (const std::size_t count : {std::size_t{5}, std::size_t{33}, std::size_t{1}, std::size_t{20}})
      trace.losses.push_back(trainer.step(batch(0, count), wanted(0, count)));
    trainer.optimizer().lr *= 0.5;
    trace.losses.push_back(trainer.step(subset(dataset(x, labels), 3, 9)));
  });

  compare<Model>(Adam{.lr = 0.003}, [&](auto& trainer, Trace& trace) {
    Tensor<float, Row> dx, again, third;
    for (int round = 0; round < 2; ++round) {
      trace.losses.push_back(trainer.accumulate(batch(0, 4), wanted(0, 4), dx));
      trace.losses.push_back(trainer.accumulate(batch(4, 11), wanted(4, 11), again));
      CHECK(trainer.update());
      trainer.backward(batch(15, 6), dy.view().slice(15, 6));
      trainer.backward(batch(21, 2), dy.view().slice(21, 2), third);
      CHECK(trainer.update());
      for (const auto* tensor : {&dx, &again, &third})
        for (const float v : tensor->values()) trace.input.push_back(v);
    }
    trainer.accumulate(batch(0, 7), wanted(0, 7));
    trainer.clear();
    trace.losses.push_back(trainer.step(batch(0, 7), wanted(0, 7)));
    CHECK(trainer.steps() == 5);
  });
}

}  // namespace

TEST_CASE("steps, sums over micro-batches and given gradients are those of the host") {
  const FreshCuda cuda_runtime;
  check_plan<Tiny>();
  check_plan<Middle>();
  check_plan<Wide>();
}

TEST_CASE("factors on rates and frozen parameters") {
  const FreshCuda cuda_runtime;
  const auto run = [&]<class Model>(Model, const std::string& name, const auto& optimizer) {
    const auto x = inputs<typename Model::InputRow>(30);
    const auto labels = labels_for(30, 4);
    compare<Model>(optimizer, [&](auto& trainer, Trace& trace) {
      const auto first = values(trainer.network());
      trainer.freeze("0.weight");
      trainer.set_rate_factor(name, 0.1);
      for (int i = 0; i < 3; ++i) trace.losses.push_back(trainer.step(x, labels));
      const auto last = values(trainer.network());
      const std::ptrdiff_t size = Program<Model>::parameters[0].size;
      CHECK(same(std::vector<float>(first.begin(), first.begin() + size),
                 std::vector<float>(last.begin(), last.begin() + size)));
      CHECK(!same(first, last));
      CHECK(error_of([&] { trainer.freeze("9.weight"); }) != "(no error)");
    });

    // As fit does: many steps at a time.
    Network<Model, Cuda> at_once{{.seed = 9}}, one_by_one{{.seed = 9}};
    Trainer many{at_once, NLLLoss{}, optimizer};
    Trainer single{one_by_one, NLLLoss{}, optimizer};
    const auto data = dataset(x, labels);
    const auto kept = many.keep(data);
    const auto each = [&](auto& trainer) {
      trainer.freeze("0.weight");
      trainer.set_rate_factor(name, 0.1);
    };
    each(many);
    each(single);
    const auto losses = many.steps_on(kept, {.order = {9, 0, false}, .first = 0, .batch = 8, .count = 4});
    REQUIRE(losses.size() == 4);
    std::vector<std::uint32_t> rows(30);
    for (std::uint32_t i = 0; i < 30; ++i) rows[i] = i;
    for (std::size_t i = 0; i < 4; ++i) {
      const std::size_t count = i == 3 ? 6 : 8;
      const std::uint32_t* const of_batch = rows.data() + 8 * i;
      const float loss = single.step_on(data, {of_batch}, count, of_batch, 0);
      CHECK(losses[i] / static_cast<double>(count) == doctest::Approx(static_cast<double>(loss)).epsilon(1e-5));
    }
    CHECK(norm_error(values(at_once), values(one_by_one)) < 1e-5);
    CHECK(many.steps() == 4);
  };
  run(Tiny{}, "0.bias", SGD{.lr = 0.1, .momentum = 0.9});
  run(Middle{}, "8.weight", Adam{.lr = 0.01});
  run(Wide{}, "0.bias", SGD{.lr = 0.1});
}

TEST_CASE("a Trainer of a copied, moved and assigned network") {
  const FreshCuda cuda_runtime;
  const auto x = inputs<Tiny::InputRow>(12);
  const auto labels = labels_for(12, 4);
  Network<Tiny, Cuda> net{{.seed = 9}};
  Trainer trainer{net, NLLLoss{}, SGD{.lr = 0.1}};
  trainer.step(x, labels);
  const Network<Tiny, Cuda> copy = net;
  const auto before = values(copy);
  trainer.step(x, labels);
  CHECK(same(values(copy), before));
  CHECK(!same(values(net), before));
  net = copy;  // the trainer continues from it
  CHECK(same(values(net), before));
  Network<Tiny, Cuda> moved = std::move(net);
  CHECK(same(values(moved), before));
  net = Network<Tiny, Cuda>{{.seed = 1}};
  trainer.step(x, labels);
  CHECK(same(values(moved), before));
  Network<Tiny> host{{.seed = 4}};
  net = host;
  trainer.step(x, labels);
  CHECK(!same(values(net), values(host)));
}

TEST_CASE("the first layers of a network on another device") {
  const FreshCuda cuda_runtime;
  const auto x = inputs<Middle::InputRow>(9);
  const auto labels = labels_for(9, 4);
  Network<Middle, Cuda> cuda{{.seed = 9}};
  Trainer{cuda, NLLLoss{}, SGD{.lr = 0.1}}.step(x, labels);
  Network<Middle> host;
  host = cuda;
  Network<Truncate<Middle, 6>, Cuda> features, from_host;
  Network<Truncate<Middle, 6>> want;
  features = cuda;
  from_host = host;
  want = cuda;
  auto on_cuda = features.workspace(9);
  auto again = from_host.workspace(9);
  auto on_host = want.workspace(9);
  const auto y = features.forward(x, on_cuda), z = want.forward(x, on_host), same_as_y = from_host.forward(x, again);
  const auto all = [](const auto& view) { return std::vector<float>(view.data, view.data + 9 * 300); };
  CHECK(norm_error(all(y), all(z)) < 1e-6);
  CHECK(same(all(y), all(same_as_y)));
}
