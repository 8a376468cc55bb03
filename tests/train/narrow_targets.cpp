// SPDX-License-Identifier: MIT
// labels: large
// Losses that compare several outputs with fewer numbers: the same bits as if each number were given as often as it is used.
#include <doctest/doctest.h>

#include <cstddef>
#include <vector>

#include "sinter/sinter.hpp"
#include "support/close.hpp"
#include "support/training.hpp"

using namespace sinter::internal;
using namespace sinter_test;

namespace {

struct Net : Sequential<Input<3>, Linear<7>, Tanh, Linear<4>> {};
constexpr std::size_t rows = 21;

/// The outputs are estimates of quantiles 1/5, 2/5, .. of one number, or, with Size = 4, of a number each.
template <int Size>
struct Quantiles {
  static constexpr int target_size = Size;
  using Target = RowTarget;
  static constexpr const char* name = "Quantiles";

  template <class V>
  SINTER_FN static V quantile(int i, int n) {
    return fn::constant<V>((i + 1.0) / (n + 1));
  }
  template <class V>
  SINTER_FN V forward(const V* y, int n, const V* target) const {
    V total(0);
    for (int i = 0; i < n; ++i) {
      const V d = target[i % Size] - y[i], q = quantile<V>(i, n);
      total += fn::max(fn::product(q, d), fn::product(q - V(1), d));
    }
    return total;
  }
  template <class V>
  SINTER_FN void backward(const V* y, int n, const V* target, V scale, V* dy) const {
    for (int i = 0; i < n; ++i) {
      const V d = target[i % Size] - y[i], q = quantile<V>(i, n);
      dy[i] = fn::product(scale, fn::select(d > V(0), -q, V(1) - q));
    }
  }
};

struct Problem {
  Tensor<float, Shape<3>> x{closeness::numbers<float>(rows * 3, -1, 1)};
  Tensor<float, Shape<1>> one{closeness::numbers<float>(rows, -1, 1, 2)};
  Tensor<float, Shape<4>> four = Tensor<float, Shape<4>>(rows);
  Tensor<float, Shape<2>> two = Tensor<float, Shape<2>>(rows);
  std::vector<float> weights;
  Problem() {
    for (std::size_t i = 0; i < rows; ++i) {
      for (int k = 0; k < 4; ++k) four(i, k) = one(i, 0);
      for (int k = 0; k < 2; ++k) two(i, k) = one(i, 0);
      weights.push_back(static_cast<float>(i % 3));
    }
  }
};

/// All that a training tells: losses of epochs, of steps and of an evaluation, and the weights.
template <int Size, class Device, class Precision, class Targets>
std::vector<double> results_of(const Problem& problem, const Targets& targets) {
  Network<Net, Device, Precision> net{{.seed = 4}};
  const Quantiles<Size> loss;
  const auto data = dataset(problem.x, targets);
  const auto weighed = dataset(problem.x, targets, problem.weights);
  std::vector<double> all;
  for (const auto& epoch :
       fit(net, data, loss, Adam{.lr = 0.01}, {.batch_size = 8, .epochs = 3, .validation = &data}).epochs) {
    all.push_back(epoch.train_loss);
    all.push_back(epoch.validation_loss);
  }
  all.push_back(fit(net, weighed, loss, SGD{.lr = 0.1}, {.batch_size = 8}).epochs[0].train_loss);
  Trainer trainer{net, loss, SGD{.lr = 0.1}};
  all.push_back(static_cast<double>(trainer.step(problem.x, targets)));
  all.push_back(evaluate(net, weighed, loss).loss);
  all.insert(all.end(), net.data(), net.data() + Program<Net>::arena_size);
  return all;
}

template <class Device, class Precision>
void check() {
  const Problem problem;
  const auto want = results_of<4, Device, Precision>(problem, problem.four);
  CHECK(want[4] < want[0]);
  CHECK(same(results_of<1, Device, Precision>(problem, problem.one), want));
  CHECK(same(results_of<2, Device, Precision>(problem, problem.two), want));
}

}  // namespace

TEST_CASE("fewer targets than outputs, on the host, in float and in double") {
  check<Host, Float32>();
  check<Host, Float64>();
}
TEST_CASE("fewer targets than outputs, on the reference") { check<Reference, Float64>(); }
