// SPDX-License-Identifier: MIT
#pragma once

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "sinter/core/error.hpp"
#include "support/check_refused.hpp"
#include "support/close.hpp"

/// What every optimizer must satisfy.
namespace optimizer {

/// One weight after each step with the given gradients.
template <class T = double, class Optimizer>
std::vector<T> path(const Optimizer& optimizer, T weight, const std::vector<T>& gradients) {
  std::vector<T> weights, state(Optimizer::states);
  for (std::size_t i = 0; i < gradients.size(); ++i) {
    optimizer.template at<T>(static_cast<long>(i))(weight, gradients[i], state.data());
    weights.push_back(weight);
  }
  return weights;
}

/// Lanes against scalars and `step` against both, bit for bit; float against double.
template <class Optimizer>
void check(const Optimizer& optimizer) {
  const std::size_t n = 64, states = Optimizer::states;
  const auto run = [&]<class T>(T) {
    auto weights = closeness::numbers<T>(n, -1, 1), state = std::vector<T>(n * states);
    const auto start = weights;
    std::vector<std::vector<T>> gradients;
    for (std::uint64_t i = 0; i < 5; ++i) gradients.push_back(closeness::numbers<T>(n, -1, 1, 10 + i));
    for (std::size_t i = 0; i < 5; ++i) optimizer.step(weights, gradients[i], state, static_cast<long>(i));
    CHECK(weights != start);
    closeness::for_each_lane_count<T>([&]<int L>() {
      using V = sinter::internal::Pack<T, L>;
      auto packs = closeness::to_packs<L>(start);
      std::vector<V> lanes_state(packs.size() * states, V(T(0)));
      for (std::size_t step = 0; step < 5; ++step) {
        const auto gradient = closeness::to_packs<L>(gradients[step]);
        const auto update = optimizer.template at<T>(static_cast<long>(step));
        for (std::size_t i = 0; i < packs.size(); ++i) update(packs[i], gradient[i], &lanes_state[i * states]);
      }
      CHECK(closeness::same(closeness::from_packs(packs), weights));
    });
    return weights;
  };
  CHECK(closeness::relative_error(run(float{}), run(double{})) < 2e-6);
}

template <class Optimizer>
void check_step_refuses() {
  std::vector<float> weights(3), gradient(3), state(3 * Optimizer::states), shorter(2), longer(7);
  check_refused([&] { Optimizer{}.step(weights, shorter, state, 0); }, {Optimizer::name, "3 weights", "2 gradients"});
  check_refused([&] { Optimizer{}.step(weights, gradient, longer, 0); }, {Optimizer::name, "7 numbers of state"});
  check_refused([&] { Optimizer{}.step(weights, gradient, state, -1); }, {Optimizer::name, "step -1"});
  check_refused([&] { Optimizer{.lr = -1}.step(weights, gradient, state, 0); }, {"lr = -1"});
  std::vector<float> none;
  CHECK_NOTHROW(Optimizer{}.step(none, none, none, 0));
}

}  // namespace optimizer
