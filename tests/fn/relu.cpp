// SPDX-License-Identifier: MIT
// labels: optimised
#include "sinter/fn/relu.hpp"

#include "support/leaf.hpp"

using sinter::fn::Relu;

TEST_CASE("ReLU: gradient, float, lanes") { leaf::check<Relu>({-3, -1, -0.5, -1e-3, 1e-3, 0.25, 1, 7}); }

TEST_CASE("ReLU: values") {
  CHECK(Relu::forward(2.5f) == 2.5f);
  CHECK(Relu::forward(-2.5) == 0.0);
  CHECK(Relu::forward(0.0) == 0.0);
  CHECK(Relu::backward(2.0, 3.0) == 3.0);
  CHECK(Relu::backward(0.0, 3.0) == 0.0);
  CHECK(sinter::fn::zeros_of<Relu> == 0.5);
}

#if !defined(__FAST_MATH__)
TEST_CASE_TEMPLATE("ReLU: NaN passes through", T, float, double) {
  const T nan = std::numeric_limits<T>::quiet_NaN();
  CHECK(std::isnan(Relu::forward(nan)));
  CHECK(Relu::backward(nan, T(1)) == 1);
  CHECK(std::isnan(Relu::backward(T(1), nan)));
  constexpr int L = 16 / sizeof(T);
  CHECK(std::isnan(Relu::forward(sinter::internal::Pack<T, L>(nan))[L - 1]));
}
#endif
