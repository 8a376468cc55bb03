// SPDX-License-Identifier: MIT
#pragma once

#include <doctest/doctest.h>

#include <cmath>
#include <initializer_list>
#include <limits>
#include <vector>

#include "support/close.hpp"

/// How an elementary function F is judged: `F::of(x)` next to `F::reference(x)` of the C library in long double, and a
/// lane next to the scalar.
namespace elementary {

template <class F, class T>
void check_errors(const std::vector<T>& inputs) {
  double worst = 0;
  T at = 0;
  for (const T x : inputs) {
    const double error = closeness::ulps(F::of(x), F::reference(static_cast<long double>(x)));
    if (!(error <= worst)) worst = error, at = x;
  }
  CAPTURE(at);
  CHECK(worst <= F::ulps);
}

template <class F, class T>
void check_lanes(const std::vector<T>& x) {
  std::vector<T> scalar;
  for (const T xi : x) scalar.push_back(F::of(xi));
  closeness::for_each_lane_count<T>([&]<int L>() {
    auto packs = closeness::to_packs<L>(x);
    for (auto& p : packs) p = F::of(p);
    CAPTURE(L);
    CHECK(closeness::same(closeness::from_packs(packs), scalar));
  });
}

/// On numbers of each reach to both sides of 0, float and double.
template <class F>
void check_near(std::initializer_list<double> reaches) {
  for (const double reach : reaches) {
    const auto on = [&]<class T>(T) {
      const std::vector<T> x = closeness::numbers<T>(std::size_t{1} << 17, -reach, reach);
      check_errors<F>(x);
      check_lanes<F>(x);
    };
    on(float{});
    on(double{});
  }
}

}  // namespace elementary
