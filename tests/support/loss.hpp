// SPDX-License-Identifier: MIT
#pragma once

#include <doctest/doctest.h>

#include <initializer_list>
#include <string>
#include <vector>

#include "sinter/core/error.hpp"
#include "sinter/fn/softmax.hpp"
#include "support/check_refused.hpp"
#include "support/close.hpp"

/// What every loss must satisfy on a row.
namespace loss {

/// The loss, then dy of 1.5 times it; dy in place of y.
template <class Loss, class V, class Target>
std::vector<V> forward_backward(std::vector<V> y, Target target, const Loss& loss = {}) {
  const int n = static_cast<int>(y.size());
  const V value = loss.forward(static_cast<const V*>(y.data()), n, target);
  std::vector<V> apart(y.size());
  loss.backward(static_cast<const V*>(y.data()), n, target, V(1.5f), apart.data());
  loss.backward(static_cast<const V*>(y.data()), n, target, V(1.5f), y.data());
  CHECK(std::memcmp(apart.data(), y.data(), y.size() * sizeof(V)) == 0);
  y.push_back(value);
  return y;
}

/// The same where dy begins as the exponentials of y.
template <class Loss, class V, class Target>
std::vector<V> forward_backward_from(const std::vector<V>& y, Target target, const Loss& loss) {
  const int n = static_cast<int>(y.size());
  std::vector<V> dy;
  for (int i = 0; i < n; ++i) dy.push_back(sinter::fn::exponential(y.data(), n, i));
  const V value = loss.forward_and_backward_from(y.data(), n, target, V(1.5f), dy.data());
  dy.push_back(value);
  return dy;
}

template <class Loss, class Target>
void check_gradient(std::size_t n, Target target, Target same_target, const Loss& loss = {}) {
  const auto y = closeness::numbers(n, -3, 3);
  auto got = forward_backward<Loss>(y, target, loss);
  if constexpr (requires { loss.forward_and_backward_from(y.data(), 1, target, 1.0, got.data()); })
    CHECK(closeness::same(forward_backward_from(y, target, loss), got));
  got.pop_back();
  const auto want = closeness::central_differences(
      [&](const std::vector<double>& at) {
        return 1.5 * loss.forward(at.data(), static_cast<int>(at.size()), same_target);
      },
      y);
  double difference = 0;
  for (std::size_t i = 0; i < n; ++i) difference = std::max(difference, std::fabs(got[i] - want[i]));
  CHECK(difference < 1e-8);  // also where a row of one has no gradient
  if (n > 1) CHECK(closeness::relative_error(got, want) < 1e-6);
}

template <class Loss, class Float, class Double>
void check_float(std::size_t n, Float target_float, Double target, const Loss& loss = {}) {
  const auto y = closeness::numbers(n, -3, 3);
  const auto want = forward_backward<Loss>(y, target, loss);
  const auto got = forward_backward<Loss>(std::vector<float>(y.begin(), y.end()), target_float, loss);
  CHECK(closeness::relative_error(got, want) < 2e-6);
}

template <class Loss, class T, int L, class Target, class TargetOfLane>
void check_lanes(std::size_t n, Target targets, TargetOfLane target_of, const Loss& loss = {}) {
  const auto y = closeness::numbers<T>(n * L, -3, 3, 5);
  const auto all = closeness::from_packs(forward_backward<Loss>(closeness::to_packs<L>(y), targets, loss));
  for (int lane = 0; lane < L; ++lane)
    CHECK(closeness::same(closeness::lane(all, L, lane),
                          forward_backward<Loss>(closeness::lane(y, L, lane), target_of(lane), loss)));
}

/// All of these for a loss of a class number, at every label, and rows of each length given.
template <class Loss>
void check_class_loss(const Loss& loss = {}, std::initializer_list<std::size_t> lengths = {1, 2, 3, 10}) {
  for (const std::size_t n : lengths) {
    CAPTURE(n);
    for (std::size_t label = 0; label < n; ++label) {
      const auto at = static_cast<double>(label);
      check_gradient<Loss>(n, at, at, loss);
      check_float<Loss>(n, static_cast<float>(label), at, loss);
    }
    const auto lanes = [&]<class T>(T) {
      closeness::for_each_lane_count<T>([&]<int L>() {
        const auto label_of = [&](int lane) { return static_cast<T>(static_cast<std::size_t>(7 * lane + 3) % n); };
        sinter::internal::Pack<T, L> labels;
        for (int lane = 0; lane < L; ++lane) labels.set(lane, label_of(lane));
        check_lanes<Loss, T, L>(n, labels, label_of, loss);
      });
    };
    lanes(float{});
    lanes(double{});
  }
}

/// And for a loss of rows of targets in (low, high).
template <class Loss>
void check_row_loss(double low, double high, const Loss& loss = {}) {
  for (const std::size_t n : {1u, 2u, 7u, 17u}) {
    CAPTURE(n);
    const auto target_float = closeness::numbers<float>(n, low, high, 9);
    const std::vector<double> target(target_float.begin(), target_float.end());
    check_gradient<Loss>(n, target.data(), target.data(), loss);
    check_float<Loss>(n, target_float.data(), target.data(), loss);
    const auto lanes = [&]<class T>(T) {
      closeness::for_each_lane_count<T>([&]<int L>() {
        const auto targets = closeness::numbers<T>(n * L, low, high, 9);
        const auto packs = closeness::to_packs<L>(targets);
        std::vector<std::vector<T>> each;
        for (int i = 0; i < L; ++i) each.push_back(closeness::lane(targets, L, i));
        check_lanes<Loss, T, L>(
            n, packs.data(),
            [&](int lane) { return static_cast<const T*>(each[static_cast<std::size_t>(lane)].data()); }, loss);
      });
    };
    lanes(float{});
    lanes(double{});
  }
}

}  // namespace loss
