// SPDX-License-Identifier: MIT
// labels: optimised unsanitized
#include "sinter/core/expm1.hpp"

#include "support/elementary.hpp"

namespace {
struct Expm1 {
  static constexpr double ulps = closeness::exact ? 1.2 : 500;
  template <class V>
  SINTER_FN static V of(V x) {
    return sinter::fn::parts::expm1_below_zero(-sinter::fn::abs(x));
  }
  static long double reference(long double x) { return std::expm1(-std::fabs(x)); }
};
}  // namespace

TEST_CASE("expm1 below zero: error as stated, a lane as the scalar") {
  elementary::check_near<Expm1>({1e-3, 1, 5, 60});
}

#if !defined(__FAST_MATH__)
TEST_CASE_TEMPLATE("expm1 below zero: infinity, NaN, zero", T, float, double) {
  using Limits = std::numeric_limits<T>;
  CHECK(sinter::fn::parts::expm1_below_zero(-Limits::infinity()) == -1);
  CHECK(std::isnan(sinter::fn::parts::expm1_below_zero(Limits::quiet_NaN())));
  CHECK(sinter::fn::parts::expm1_below_zero(T(0)) == 0);
}
#endif
