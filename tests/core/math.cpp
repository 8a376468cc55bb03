// SPDX-License-Identifier: MIT
// labels: optimised unsanitized
#include "sinter/core/math.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "support/close.hpp"

namespace {

// Ours next to the long double of the C library, and the largest error in units in the last place.
struct Exp {
  static constexpr double ulps = closeness::exact ? 1.1 : 500;
  template <class V>
  SINTER_FN static V of(V x) {
    return sinter::fn::exp(x);
  }
  static long double reference(long double x) { return std::exp(x); }
};
struct Log {
  static constexpr double ulps = closeness::exact ? 0.9 : 4;
  template <class V>
  SINTER_FN static V of(V x) {
    return sinter::fn::log(x);
  }
  static long double reference(long double x) { return std::log(x); }
};
struct Tanh {
  static constexpr double ulps = closeness::exact ? 6.2 : 8;  // of float; of double 2.55
  template <class V>
  SINTER_FN static V of(V x) {
    return sinter::fn::tanh(x);
  }
  static long double reference(long double x) { return std::tanh(x); }
};
struct Sigmoid {
  static constexpr double ulps = closeness::exact ? 2.4 : 500;
  template <class V>
  SINTER_FN static V of(V x) {
    return sinter::fn::sigmoid(x);
  }
  static long double reference(long double x) { return 1 / (1 + std::exp(-x)); }
};

/// Numbers of every sign and exponent, and many of middle size. Under -ffast-math only those with a plain result.
template <class T>
std::vector<T> inputs() {
  using Bits = typename sinter::fn::parts::Format<T>::Bits;
  std::vector<T> x = closeness::numbers<T>(200000, -3, 3, 1);
  for (const double reach : {20., 100., 800.}) {
    const std::vector<T> more = closeness::numbers<T>(100000, -reach, reach, 2);
    x.insert(x.end(), more.begin(), more.end());
  }
  if (closeness::exact)
    for (Bits i = 0; i < 400000; ++i)
      x.push_back(sinter::fn::bit_cast<T>(std::numeric_limits<Bits>::max() / 400000 * i));
  x.resize(x.size() / 64 * 64);
  return x;
}

template <class F, class T>
void check_errors() {
  double worst = 0;
  T at = 0;
  for (const T x : inputs<T>()) {
    const long double want = F::reference(static_cast<long double>(x));
    if (!closeness::exact && !(std::fabs(want) < 1e30L && std::fabs(want) > 1e-30L)) continue;
    if (!closeness::exact && x < 0 && std::is_same_v<F, Log>) continue;
    const double error = closeness::ulps(F::of(x), want);
    if (!(error <= worst)) worst = error, at = x;
  }
  CAPTURE(at);
  CHECK(worst <= F::ulps);
}

template <class F, class T>
void check_lanes() {
  const std::vector<T> x = inputs<T>();
  std::vector<T> scalar;
  for (const T xi : x) scalar.push_back(F::of(xi));
  closeness::for_each_lane_count<T>([&]<int L>() {
    auto packs = closeness::to_packs<L>(x);
    for (auto& p : packs) p = F::of(p);
    const std::vector<T> y = closeness::from_packs(packs);
    std::size_t different = 0;
    for (std::size_t i = 0; i < x.size(); ++i)
      if (!(scalar[i] != scalar[i] && y[i] != y[i]) && !closeness::same(y[i], scalar[i])) ++different;
    CAPTURE(L);
    CHECK(different == 0);
  });
}

template <class F>
void check_all() {
  check_errors<F, float>();
  check_errors<F, double>();
  if (closeness::exact) {
    check_lanes<F, float>();
    check_lanes<F, double>();
  }
}

}  // namespace

TEST_CASE("exp: error as stated, a lane as the scalar") { check_all<Exp>(); }
TEST_CASE("log: error as stated, a lane as the scalar") { check_all<Log>(); }
TEST_CASE("tanh: error as stated, a lane as the scalar") { check_all<Tanh>(); }
TEST_CASE("tanh of floats below 1: at most 1.4 units" * doctest::skip(!closeness::exact)) {
  double worst = 0;
  for (float x = 1; x > 1e-3f; x = std::nextafter(x, 0.f) - 1e-7f)
    worst = std::max(worst, closeness::ulps(sinter::fn::tanh(x), Tanh::reference(x)));
  CHECK(worst <= 1.4);
}
TEST_CASE("sigmoid: error as stated, a lane as the scalar") { check_all<Sigmoid>(); }

#if !defined(__FAST_MATH__)
TEST_CASE_TEMPLATE("infinities, NaN, zeros and the ends of the range", T, float, double) {
  using Limits = std::numeric_limits<T>;
  const T infinity = Limits::infinity(), nan = Limits::quiet_NaN();
  const T largest_log = std::log(Limits::max());

  CHECK(sinter::fn::exp(infinity) == infinity);
  CHECK(sinter::fn::exp(-infinity) == 0);
  CHECK(std::isnan(sinter::fn::exp(nan)));
  CHECK(sinter::fn::exp(T(0)) == 1);
  CHECK(sinter::fn::exp(-T(0)) == 1);
  CHECK(std::isfinite(sinter::fn::exp(std::nextafter(largest_log, T(0)))));
  CHECK(sinter::fn::exp(largest_log + T(0.01)) == infinity);
  CHECK(sinter::fn::exp(T(1e6)) == infinity);
  CHECK(sinter::fn::exp(T(-1e6)) == 0);
  CHECK(sinter::fn::exp(std::log(Limits::denorm_min())) == Limits::denorm_min());

  CHECK(sinter::fn::log(T(0)) == -infinity);
  CHECK(sinter::fn::log(-T(0)) == -infinity);
  CHECK(std::isnan(sinter::fn::log(T(-1))));
  CHECK(std::isnan(sinter::fn::log(-infinity)));
  CHECK(std::isnan(sinter::fn::log(-Limits::denorm_min())));
  CHECK(std::isnan(sinter::fn::log(nan)));
  CHECK(sinter::fn::log(infinity) == infinity);
  CHECK(sinter::fn::log(T(1)) == 0);
  CHECK(sinter::fn::log(Limits::denorm_min()) == doctest::Approx(std::log(Limits::denorm_min())));

  CHECK(sinter::fn::tanh(infinity) == 1);
  CHECK(sinter::fn::tanh(-infinity) == -1);
  CHECK(std::isnan(sinter::fn::tanh(nan)));
  CHECK(sinter::fn::tanh(T(0)) == 0);
  CHECK(std::signbit(sinter::fn::tanh(-T(0))));
  CHECK(sinter::fn::tanh(Limits::denorm_min()) == Limits::denorm_min());

  CHECK(sinter::fn::sigmoid(infinity) == 1);
  CHECK(sinter::fn::sigmoid(-infinity) == 0);
  CHECK(sinter::fn::sigmoid(T(0)) == T(0.5));
  CHECK(std::isnan(sinter::fn::sigmoid(nan)));
}
#endif
