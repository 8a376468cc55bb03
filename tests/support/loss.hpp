// SPDX-License-Identifier: MIT
#pragma once

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "sinter/core/error.hpp"
#include "support/check_refused.hpp"
#include "support/close.hpp"

/// What every loss must satisfy on a row.
namespace loss {

/// The loss, then dy of 1.5 times it; dy in place of y.
template <class Loss, class V, class Target>
std::vector<V> forward_backward(std::vector<V> y, Target target) {
  const int n = static_cast<int>(y.size());
  const V value = Loss{}.forward(static_cast<const V*>(y.data()), n, target);
  std::vector<V> apart(y.size());
  Loss{}.backward(static_cast<const V*>(y.data()), n, target, V(1.5f), apart.data());
  Loss{}.backward(static_cast<const V*>(y.data()), n, target, V(1.5f), y.data());
  CHECK(std::memcmp(apart.data(), y.data(), y.size() * sizeof(V)) == 0);
  y.push_back(value);
  return y;
}

template <class Loss, class Target>
void check_gradient(std::size_t n, Target target, Target same_target) {
  const auto y = closeness::numbers(n, -3, 3);
  auto got = forward_backward<Loss>(y, target);
  got.pop_back();
  const auto want = closeness::central_differences(
      [&](const std::vector<double>& at) {
        return 1.5 * Loss{}.forward(at.data(), static_cast<int>(at.size()), same_target);
      },
      y);
  double difference = 0;
  for (std::size_t i = 0; i < n; ++i) difference = std::max(difference, std::fabs(got[i] - want[i]));
  CHECK(difference < 1e-8);  // also where a row of one has no gradient
  if (n > 1) CHECK(closeness::relative_error(got, want) < 1e-6);
}

template <class Loss, class Float, class Double>
void check_float(std::size_t n, Float target_float, Double target) {
  const auto y = closeness::numbers(n, -3, 3);
  const auto want = forward_backward<Loss>(y, target);
  const auto got = forward_backward<Loss>(std::vector<float>(y.begin(), y.end()), target_float);
  CHECK(closeness::relative_error(got, want) < 2e-6);
}

template <class Loss, class T, int L, class Target, class TargetOfLane>
void check_lanes(std::size_t n, Target targets, TargetOfLane target_of) {
  const auto y = closeness::numbers<T>(n * L, -3, 3, 5);
  const auto all = closeness::from_packs(forward_backward<Loss>(closeness::to_packs<L>(y), targets));
  for (int lane = 0; lane < L; ++lane)
    CHECK(closeness::same(closeness::lane(all, L, lane),
                          forward_backward<Loss>(closeness::lane(y, L, lane), target_of(lane))));
}

/// All of these for a loss of a class number, at every label.
template <class Loss>
void check_class_loss() {
  for (const std::size_t n : {1u, 2u, 3u, 10u}) {
    CAPTURE(n);
    for (std::size_t label = 0; label < n; ++label) {
      const auto at = static_cast<double>(label);
      check_gradient<Loss>(n, at, at);
      check_float<Loss>(n, static_cast<float>(label), at);
    }
    const auto lanes = [&]<class T>(T) {
      closeness::for_each_lane_count<T>([&]<int L>() {
        const auto label_of = [&](int lane) { return static_cast<T>(static_cast<std::size_t>(7 * lane + 3) % n); };
        sinter::Pack<T, L> labels;
        for (int lane = 0; lane < L; ++lane) labels.set(lane, label_of(lane));
        check_lanes<Loss, T, L>(n, labels, label_of);
      });
    };
    lanes(float{});
    lanes(double{});
  }
}

}  // namespace loss
