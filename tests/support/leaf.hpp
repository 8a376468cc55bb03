// SPDX-License-Identifier: MIT
#pragma once

#include <doctest/doctest.h>

#include <vector>

#include "sinter/fn/apply.hpp"
#include "sinter/fn/functor_checks.hpp"
#include "sinter/fn/softmax.hpp"
#include "support/close.hpp"

/// What every leaf functor and every row functor must satisfy.
namespace leaf {

template <class F, class V>
SINTER_FN V forward_backward(V x, V dy) {
  const V y = sinter::fn::forward<F>(x);
  return sinter::fn::backward<F>(F::backward_reads_output ? y : x, dy);
}

/// backward against central differences.
template <class F>
void check_gradient(const std::vector<double>& inputs) {
  std::vector<double> got, want;
  for (const double x : inputs) {
    got.push_back(forward_backward<F>(x, 1.5));
    want.push_back(
        closeness::central_differences([](const auto& at) { return 1.5 * sinter::fn::forward<F>(at[0]); }, {x})[0]);
  }
  CHECK(closeness::relative_error(got, want) < 1e-6);
}

/// float against double, and each lane against the scalar, bit for bit.
template <class F>
void check_float() {
  std::vector<float> y, dx;
  std::vector<double> y_double, dx_double;
  for (const float x : closeness::numbers<float>(1000, -5, 5)) {
    y.push_back(sinter::fn::forward<F>(x));
    dx.push_back(forward_backward<F>(x, 0.7f));
    y_double.push_back(sinter::fn::forward<F>(static_cast<double>(x)));
    dx_double.push_back(forward_backward<F>(static_cast<double>(x), 0.7));
  }
  CHECK(closeness::relative_error(y, y_double) < 1e-6);
  CHECK(closeness::relative_error(dx, dx_double) < 1e-6);
}
template <class F, class T>
void check_lanes() {
  const auto x = closeness::numbers<T>(256, -5, 5, 3), dy = closeness::numbers<T>(256, -1, 1, 4);
  std::vector<T> y_scalar, dx_scalar;
  for (std::size_t i = 0; i < x.size(); ++i) {
    y_scalar.push_back(sinter::fn::forward<F>(x[i]));
    dx_scalar.push_back(forward_backward<F>(x[i], dy[i]));
  }
  closeness::for_each_lane_count<T>([&]<int L>() {
    auto y = closeness::to_packs<L>(x), dx = closeness::to_packs<L>(dy);
    for (std::size_t i = 0; i < y.size(); ++i) {
      dx[i] = forward_backward<F>(y[i], dx[i]);
      y[i] = sinter::fn::forward<F>(y[i]);
    }
    CHECK(closeness::same(closeness::from_packs(y), y_scalar));
    CHECK(closeness::same(closeness::from_packs(dx), dx_scalar));
  });
}
template <class F>
void check(const std::vector<double>& inputs) {
  static_assert(sinter::fn::Functor<F>);
  check_gradient<F>(inputs);
  check_float<F>();
  check_lanes<F, float>();
  check_lanes<F, double>();
}

// -- rows ------------------------------------------------------------------------------------------------------------

/// y, then dx of sum_i dy_i y_i.
template <class F, class V>
std::vector<V> row_forward_backward(std::vector<V> x, const std::vector<V>& dy) {
  const int n = static_cast<int>(x.size());
  std::vector<V> dx = dy;
  F::forward(x.data(), x.data(), n);  // in place
  F::backward(x.data(), dx.data(), n);
  x.insert(x.end(), dx.begin(), dx.end());
  return x;
}

template <class F, class T>
void check_row_lanes(std::size_t n) {
  closeness::for_each_lane_count<T>([&]<int L>() {
    const auto x = closeness::numbers<T>(n * L, -4, 4, 5), dy = closeness::numbers<T>(n * L, -1, 1, 6);
    const auto all =
        closeness::from_packs(row_forward_backward<F>(closeness::to_packs<L>(x), closeness::to_packs<L>(dy)));
    for (int lane = 0; lane < L; ++lane)
      CHECK(closeness::same(closeness::lane(all, L, lane),
                            row_forward_backward<F>(closeness::lane(x, L, lane), closeness::lane(dy, L, lane))));
  });
}
/// What threads that share a row compute: forward from the exponentials, and each number of dx alone.
template <class F, class T>
std::vector<T> shared_forward_backward(const std::vector<T>& x, const std::vector<T>& dy) {
  const auto n = static_cast<int>(x.size());
  std::vector<T> y(x.size()), all;
  for (int i = 0; i < n; ++i) y[static_cast<std::size_t>(i)] = sinter::fn::exponential(x.data(), n, i);
  F::forward_from(x.data(), y.data(), n);
  all = y;
  for (int i = 0; i < n; ++i) all.push_back(F::gradient(y.data(), dy.data(), n, i));
  return all;
}
template <class F>
void check_row() {
  for (const std::size_t n : {1u, 2u, 3u, 10u, 17u, 100u}) {
    CAPTURE(n);
    const auto x = closeness::numbers(n, -4, 4), dy = closeness::numbers(n, -1, 1, 2);
    const auto both = row_forward_backward<F>(x, dy);
    const std::vector<double> dx(both.begin() + static_cast<std::ptrdiff_t>(n), both.end());
    const auto want = closeness::central_differences(
        [&](std::vector<double> at) {
          F::forward(at.data(), at.data(), static_cast<int>(n));
          double sum = 0;
          for (std::size_t i = 0; i < n; ++i) sum += dy[i] * at[i];
          return sum;
        },
        x);
    if (n == 1)
      CHECK(std::fabs(dx[0]) < 1e-9);  // one probability is 1
    else
      CHECK(closeness::relative_error(dx, want) < 1e-6);

    const auto in_float =
        row_forward_backward<F>(std::vector<float>(x.begin(), x.end()), std::vector<float>(dy.begin(), dy.end()));
    CHECK(closeness::relative_error(in_float, both) < 2e-6);
    check_row_lanes<F, float>(n);
    check_row_lanes<F, double>(n);
    if constexpr (sinter::internal::detail::SharesRow<F>)
      CHECK(closeness::same(shared_forward_backward<F>(x, dy), both));
  }
}

}  // namespace leaf
