// SPDX-License-Identifier: MIT
// labels: optimised unsanitized
#include "sinter/core/normal_distribution.hpp"

#include "support/elementary.hpp"

namespace {

struct Below {
#if defined(__FMA__) || defined(__ARM_FEATURE_FMA)
  static constexpr double ulps = closeness::exact ? 6 : 500;
#else
  static constexpr double ulps = 200;
#endif
  template <class V>
  SINTER_FN static V of(V x) {
    return sinter::fn::NormalDistribution<V>(x).below;
  }
  static long double reference(long double x) { return std::erfc(-x / std::sqrt(2.0L)) / 2; }
};
struct Density {
  static constexpr double ulps = Below::ulps;
  template <class V>
  SINTER_FN static V of(V x) {
    return sinter::fn::NormalDistribution<V>(x).density;
  }
  static long double reference(long double x) { return std::exp(-x * x / 2) / std::sqrt(2 * std::acos(-1.0L)); }
};

}  // namespace

TEST_CASE("NormalDistribution: error as stated, a lane as the scalar") {
  elementary::check_near<Below>({1e-3, 1, 3, 10});
  elementary::check_near<Density>({1e-3, 1, 3, 10});
}

#if !defined(__FAST_MATH__)
TEST_CASE_TEMPLATE("NormalDistribution: infinities, NaN, zero", T, float, double) {
  const T infinity = std::numeric_limits<T>::infinity();
  using Normal = sinter::fn::NormalDistribution<T>;
  CHECK(Normal(infinity).below == 1);
  CHECK(Normal(-infinity).below == 0);
  CHECK(Normal(infinity).density == 0);
  CHECK(Normal(T(1e30)).below == 1);
  CHECK(std::isnan(Normal(std::numeric_limits<T>::quiet_NaN()).below));
  CHECK(Normal(T(0)).below == doctest::Approx(0.5).epsilon(1e-6));
}
#endif
