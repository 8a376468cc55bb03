// SPDX-License-Identifier: MIT
// labels: optimised
#include "sinter/core/subnormal.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <iterator>
#include <limits>
#include <vector>

#include "sinter/optimizer/adamw.hpp"
#include "sinter/optimizer/lion.hpp"
#include "sinter/optimizer/rmsprop.hpp"
#include "sinter/optimizer/sgd.hpp"
#include "support/close.hpp"

using namespace sinter::internal;

namespace {

/// State numbers [0, decaying) after a gradient of 1 and 20,000 of 0, as those of a unit that has died.
template <class T, class Optimizer>
std::vector<T> state_of_dead_unit(const Optimizer& optimizer, int decaying) {
  std::vector<T> weight{1}, gradient{1}, state(Optimizer::states);
  for (long step = 0; step < 20'000; ++step) {
    optimizer.step(weight, gradient, state, step);
    gradient[0] = 0;
  }
  state.resize(static_cast<std::size_t>(decaying));
  return state;
}

template <class T>
void check_flushed() {
  using Limits = std::numeric_limits<T>;
  const T least = Limits::min(), below = std::nextafter(least, T(0)), smallest = Limits::denorm_min();
  const T given[] = {least, -least, below, -below, smallest, -smallest, T(0), T(1), -Limits::infinity(), Limits::max()};
  const T expected[] = {least, -least, 0, 0, 0, 0, 0, T(1), -Limits::infinity(), Limits::max()};
  for (std::size_t i = 0; i < std::size(given); ++i) {
    CHECK(fn::flush_subnormal(given[i]) == expected[i]);
    closeness::for_each_lane_count<T>([&]<int L>() {
      CHECK(closeness::same(closeness::from_packs(std::vector{fn::flush_subnormal(Pack<T, L>(given[i]))}),
                            std::vector<T>(L, expected[i])));
    });
  }
  CHECK(std::isnan(fn::flush_subnormal(Limits::quiet_NaN())));
  CHECK(std::isnan(fn::flush_subnormal(-Limits::quiet_NaN())));
}

}  // namespace

TEST_CASE("Subnormal numbers become 0, all others stay, NaN too") {
  check_flushed<float>();
  check_flushed<double>();
}

TEST_CASE("What decays in the state of an optimizer ends at 0, and is not subnormal for good") {
  const auto zeros = [](std::size_t count) { return std::vector<float>(count, 0.0f); };
  CHECK(state_of_dead_unit<float>(SGD{.momentum = 0.9}, 1) == zeros(1));
  CHECK(state_of_dead_unit<float>(SGD{.momentum = 0.9, .nesterov = true}, 1) == zeros(1));
  CHECK(state_of_dead_unit<float>(Adam{.beta2 = 0.99}, 2) == zeros(2));
  CHECK(state_of_dead_unit<float>(AdamW{.beta2 = 0.99, .weight_decay = 0.1}, 2) == zeros(2));
  CHECK(state_of_dead_unit<float>(Lion{}, 1) == zeros(1));
  CHECK(state_of_dead_unit<float>(RMSprop{.momentum = 0.9, .centered = true}, 3) == zeros(3));
  CHECK(state_of_dead_unit<double>(SGD{.momentum = 0.9}, 1) == std::vector<double>{0.0});
  CHECK(state_of_dead_unit<double>(Adam{}, 1) == std::vector<double>{0.0});
}
