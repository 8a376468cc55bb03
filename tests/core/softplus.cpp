// SPDX-License-Identifier: MIT
// labels: optimised unsanitized
#include "sinter/core/softplus.hpp"

#include "support/elementary.hpp"

namespace {
struct Softplus {
  static constexpr double ulps = closeness::exact ? 1.7 : 500;
  template <class V>
  SINTER_FN static V of(V x) {
    return sinter::fn::softplus(x);
  }
  static long double reference(long double x) { return x > 0 ? x + std::log1p(std::exp(-x)) : std::log1p(std::exp(x)); }
};
}  // namespace

TEST_CASE("softplus: error as stated, a lane as the scalar") { elementary::check_near<Softplus>({1e-3, 1, 5, 60}); }

#if !defined(__FAST_MATH__)
TEST_CASE_TEMPLATE("softplus: infinities, NaN, the ends of the range", T, float, double) {
  using Limits = std::numeric_limits<T>;
  CHECK(sinter::fn::softplus(Limits::infinity()) == Limits::infinity());
  CHECK(sinter::fn::softplus(-Limits::infinity()) == 0);
  CHECK(sinter::fn::softplus(Limits::max()) == Limits::max());
  CHECK(std::isnan(sinter::fn::softplus(Limits::quiet_NaN())));
}
#endif
