// SPDX-License-Identifier: MIT
// labels: large gpu
#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include "sinter/sinter.hpp"
#include "support/cuda_resident.hpp"
#include "support/gradient_check.hpp"
#include "support/training.hpp"

using namespace sinter::internal;
using namespace sinter_test;

namespace {

struct Mlp : Sequential<Input<3>, Linear<7>, ReLU, Dropout<0.3>, Linear<6>, Tanh, Linear<4>> {};
// Large: few rows fit a block, and the optimizer's state does not.
struct Large : Sequential<Input<61>, Linear<130>, ReLU, Linear<36>, Tanh, Linear<7>, Linear<64>, ReLU, Dropout<0.4>,
                          Linear<48>, Tanh, Linear<4>> {};
struct LargeCnn : Sequential<Input<2, 8, 8>, Conv2d<12, 3>, Dropout2d<0.5>, ReLU, Conv2d<5, 2>, MaxPool2d<2>, Flatten,
                             Linear<300>, ReLU, Linear<4>> {};
template <class Model>
using Memory = gpu_kernels::ResidentMemory<Model, double, 1>;
static_assert(Memory<Large>::expected_rows == gpu_kernels::Expected::large && !Memory<Large>::holds_state);
static_assert(Memory<LargeCnn>::expected_rows == gpu_kernels::Expected::large && !Memory<LargeCnn>::holds_state);
struct Cnn : Sequential<Input<2, 8, 7>, Conv2d<4, 3>, MaxPool2d<2>, ReLU, Flatten, Dropout<0.5>, Linear<4>> {};
struct Norms
    : Sequential<Input<2, 8, 7>, Conv2d<4, 3>, GroupNorm<2>, ReLU, Flatten, Linear<6>, LayerNorm<>, Tanh, Linear<4>> {};

/// Epochs of the plan, and of `fit` on the reference, in double: the same losses and weights.
template <class Model, class Optimizer>
void check(const Optimizer& optimizer, std::size_t rows, std::size_t batch, int rows_that_fit) {
  const auto x = inputs<typename Model::InputRow>(rows);
  const auto labels = labels_for(rows, 4);
  Network<Model, Reference, Float64> net{{.seed = 5}};
  ResidentRun<Model, double, CrossEntropyLoss, Optimizer> run;
  run.parameters = weights(net);
  const auto data = dataset(x, labels);
  const auto history = fit(net, data, CrossEntropyLoss{}, optimizer, {.batch_size = batch, .epochs = 3});
  const std::vector<float> values(x.values().begin(), x.values().end());
  for (int epoch = 0; epoch < 3; ++epoch) {
    run.epoch(values, labels, batch, optimizer, 5, static_cast<std::uint32_t>(epoch), rows_that_fit);
    double sum = 0;
    for (const double loss : run.losses) sum += loss;
    CHECK(sum / static_cast<double>(rows) ==
          doctest::Approx(history.epochs[static_cast<std::size_t>(epoch)].train_loss).epsilon(1e-10));
  }
  CHECK(run.status.stopped == 0);
  CHECK(run.status.steps == 3 * ((rows + batch - 1) / batch));
  CHECK(norm_error(run.parameters, weights(net)) < 1e-11);
}

}  // namespace

TEST_CASE("epochs in one launch are those of fit") {
  for (const std::size_t rows : {std::size_t{1}, std::size_t{20}, std::size_t{23}}) {
    CAPTURE(rows);
    check<Mlp>(SGD{.lr = 0.1, .momentum = 0.9, .nesterov = true}, rows, 5, 5);
    check<Mlp>(Adam{.lr = 0.01}, rows, 7, 2);  // several tiles to a step
    check<Cnn>(SGD{.lr = 0.1, .weight_decay = 0.1}, rows, 6, 4);
    check<Norms>(SGD{.lr = 0.1, .momentum = 0.5}, rows, 6, 4);
    check<Large>(SGD{.lr = 0.1, .momentum = 0.9, .nesterov = true}, rows, 17, 16);
    check<Large>(Adam{.lr = 0.01}, rows, 7, 3);
    check<LargeCnn>(SGD{.lr = 0.05}, rows, 20, 7);
  }
}

TEST_CASE("networks in one launch do not touch one another") {
  const auto x = inputs<Mlp::InputRow>(20);
  const auto labels = labels_for(20, 4);
  const std::vector<float> values(x.values().begin(), x.values().end());
  ResidentRun<Mlp, float, CrossEntropyLoss, SGD> all, alone[3];
  for (std::size_t m = 0; m < 3; ++m) {
    alone[m].parameters = weights(Network<Mlp>{{.seed = m}});
    (m == 0 ? all : all.others.emplace_back()).parameters = alone[m].parameters;
    for (std::uint32_t epoch = 0; epoch < 2; ++epoch)
      alone[m].epoch(values, labels, 6, SGD{.lr = 0.1, .momentum = 0.5}, 1, epoch, 4);
  }
  for (std::uint32_t epoch = 0; epoch < 2; ++epoch)
    all.epoch(values, labels, 6, SGD{.lr = 0.1, .momentum = 0.5}, 1, epoch, 4);
  for (std::size_t m = 0; m < 3; ++m) {
    const auto& member = m == 0 ? all : all.others[m - 1];
    CHECK(same(member.parameters, alone[m].parameters));
    CHECK(same(member.losses, alone[m].losses));
    CHECK(member.status.steps == 8);
  }
}

TEST_CASE("a step whose loss is not finite is left out, and those after it") {
  std::vector<float> x(30, 0.5f);
  std::vector<int> labels(10, 1);
  x[16] = std::numeric_limits<float>::quiet_NaN();  // row 5
  ResidentRun<Mlp, float, CrossEntropyLoss, SGD> run, whole;
  Network<Mlp> net;
  run.parameters = whole.parameters = weights(net);
  run.epoch(x, labels, 2, SGD{.lr = 0.1}, 1, 0, 2);
  CHECK(run.status.stopped == 1);
  CHECK(run.status.steps < 5);
  for (const float w : run.parameters) CHECK(std::isfinite(w));
  // The weights are those of the last step that was applied: training continues from them.
  x[16] = 0.5f;
  whole.epoch(x, labels, 2, SGD{.lr = 0.1}, 1, 0, 2);
  CHECK(whole.status.steps == 5);
  run.status = {};
  const auto before = run.parameters;
  run.epoch(x, labels, 2, SGD{.lr = 0.1}, 1, 0, 2);
  CHECK(run.status.steps == 5);
  CHECK(!same(before, run.parameters));
}
