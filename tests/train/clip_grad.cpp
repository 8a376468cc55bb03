// SPDX-License-Identifier: MIT
// labels: large
// Clipping of gradients in training.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "sinter/sinter.hpp"
#include "support/check_refused.hpp"
#include "support/gradient_check.hpp"
#include "support/training.hpp"

using namespace sinter;
using namespace sinter_test;

namespace {

struct Net : Sequential<Input<7>, Linear<17>, Tanh, Linear<3>> {};
const auto x = inputs<Shape<7>>(23, 3);
const auto labels = labels_for(23, 3);
const auto data = dataset(x, labels);

/// The gradient of the first batch, parameter by parameter.
std::vector<std::vector<float>> gradient_of(Network<Net>& net) {
  Trainer trainer{net, CrossEntropyLoss{}, SGD{}};
  trainer.accumulate(data);
  std::vector<std::vector<float>> all;
  for (const auto& p : net.parameters()) all.emplace_back(p.gradient.begin(), p.gradient.end());
  return all;
}
/// What one step of rate 1 took from each parameter.
template <class Optimizer>
std::vector<std::vector<float>> step_of(Network<Net>& net, const Optimizer& optimizer, const char* frozen = nullptr) {
  Network<Net> before;
  before = net;
  Trainer trainer{net, CrossEntropyLoss{}, optimizer};
  if (frozen) trainer.freeze(frozen);
  trainer.step(data);
  std::vector<std::vector<float>> all;
  for (std::size_t i = 0; i < net.parameters().size(); ++i) {
    const auto from = before.parameters()[i].value, to = net.parameters()[i].value;
    all.emplace_back();
    for (std::size_t k = 0; k < from.size(); ++k) all.back().push_back(from[k] - to[k]);
  }
  return all;
}
double norm(const std::vector<std::vector<float>>& all) {
  double square = 0;
  for (const auto& part : all)
    for (const float g : part) square += static_cast<double>(g) * static_cast<double>(g);
  return std::sqrt(square);
}

}  // namespace

TEST_CASE("clip_grad_norm: the step is as long as allowed, and points where it did") {
  Network<Net> net{{.seed = 2}};
  const auto gradient = gradient_of(net);
  const double whole = norm(gradient);
  REQUIRE(whole > 0.2);
  Network<Net> clipped;
  clipped = net;
  const auto step = step_of(clipped, clip_grad_norm(SGD{.lr = 1}, 0.1));
  CHECK(norm(step) == doctest::Approx(0.1).epsilon(1e-5));
  for (std::size_t i = 0; i < step.size(); ++i)
    for (std::size_t k = 0; k < step[i].size(); ++k)
      CHECK(static_cast<double>(step[i][k]) ==
            doctest::Approx(static_cast<double>(gradient[i][k]) * 0.1 / whole).epsilon(1e-4).scale(1e-3));
}

TEST_CASE("clip_grad_norm: a shorter gradient stays as it is, bit for bit") {
  Network<Net> plain{{.seed = 2}}, clipped{{.seed = 2}};
  step_of(plain, SGD{.lr = 1});
  step_of(clipped, clip_grad_norm(SGD{.lr = 1}, 100));
  CHECK(same(weights(plain), weights(clipped)));
}

TEST_CASE("clip_grad_norm: what is frozen does not count") {
  Network<Net> net{{.seed = 2}};
  const auto step = step_of(net, clip_grad_norm(SGD{.lr = 1}, 0.01), "0.weight");
  CHECK(norm({step[0]}) == 0);
  CHECK(norm(step) == doctest::Approx(0.01).epsilon(1e-3));
}

TEST_CASE("clip_grad_value: no number of the gradient is above") {
  Network<Net> net{{.seed = 2}};
  const auto gradient = gradient_of(net);
  Network<Net> clipped;
  clipped = net;
  const auto step = step_of(clipped, clip_grad_value(SGD{.lr = 1}, 0.02));
  bool some = false;
  for (std::size_t i = 0; i < step.size(); ++i)
    for (std::size_t k = 0; k < step[i].size(); ++k) {
      const float want = std::max(-0.02f, std::min(0.02f, gradient[i][k]));
      some = some || want != gradient[i][k];
      CHECK(static_cast<double>(step[i][k]) == doctest::Approx(static_cast<double>(want)).epsilon(1e-4).scale(1e-3));
    }
  CHECK(some);
}

TEST_CASE("clipping: any number of threads gives the same bits, in fit and with schedules") {
  const auto train = [](int threads) {
    Network<Net> net(Host{.threads = threads}, {.seed = 3});
    const auto optimizer =
        per_step(clip_grad_norm(clip_grad_value(AdamW{.lr = 0.01}, 0.05), 0.2), ExponentialLR{.gamma = 0.99});
    fit(net, data, CrossEntropyLoss{}, optimizer, {.batch_size = 9, .epochs = 5});
    return weights(net);
  };
  const auto alone = train(1);
  CHECK(same(train(2), alone));
  CHECK(same(train(3), alone));
  Network<Net> unclipped{{.seed = 3}};
  fit(unclipped, data, CrossEntropyLoss{}, per_step(AdamW{.lr = 0.01}, ExponentialLR{.gamma = 0.99}),
      {.batch_size = 9, .epochs = 5});
  CHECK(!same(weights(unclipped), alone));
}

TEST_CASE("clipping: the host against the reference") {
  const auto train = [](auto device) {
    Network<Net, decltype(device), Float64> net(device, {.seed = 3});
    fit(net, data, CrossEntropyLoss{}, clip_grad_norm(SGD{.lr = 0.5, .momentum = 0.9}, 0.1),
        {.batch_size = 9, .epochs = 3});
    return weights(net);
  };
  CHECK(norm_error(train(Host{.threads = 2}), train(Reference{})) < 1e-12);
}

TEST_CASE("a gradient that is not finite is refused, not clipped") {
  Network<Net> net{{.seed = 2}};
  net.parameter("2.weight")[1] = std::numeric_limits<float>::infinity();
  const auto before = weights(net);
  Trainer trainer{net, CrossEntropyLoss{}, clip_grad_norm(SGD{.lr = 1}, 0.1)};
  trainer.step(data);
  CHECK(!trainer.problem().empty());
  CHECK(same(weights(net), before));
}

TEST_CASE("bad options of clipping are refused with a message") {
  check_refused([] { clip_grad_norm(SGD{}, 0).check(); }, {"clip_grad_norm", "max_norm = 0", "above 0"});
  check_refused([] { clip_grad_value(SGD{}, -1).check(); }, {"clip_grad_value", "clip_value = -1"});
  check_refused([] { clip_grad_value(SGD{.lr = -1}, 1).check(); }, {"SGD", "lr"});
}
