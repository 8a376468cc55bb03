// SPDX-License-Identifier: MIT
// labels: optimised
#include "sinter/fn/hardtanh.hpp"

#include "support/leaf.hpp"

using sinter::fn::Hardtanh;

TEST_CASE("Hardtanh: gradient, float, lanes") {
  leaf::check<Hardtanh<-1.0, 1.0>>({-9, -1.1, -0.9, -1e-3, 0, 0.5, 1.1, 8});
  leaf::check<Hardtanh<0.0, 6.0>>({-9, -0.1, 1e-3, 1, 5.9, 6.1, 8});
}

TEST_CASE("Hardtanh: values, and the gradient that PyTorch gives the ends") {
  using ReLU6 = Hardtanh<0.0, 6.0>;
  CHECK(ReLU6::forward(-4.0) == 0);
  CHECK(ReLU6::forward(2.5) == 2.5);
  CHECK(ReLU6::forward(7.0f) == 6);
  CHECK(ReLU6::backward(0.0, 2.0) == 0);
  CHECK(ReLU6::backward(6.0, 2.0) == 0);
  CHECK(ReLU6::backward(3.0, 2.0) == 2);
}

#if !defined(__FAST_MATH__)
TEST_CASE("Hardtanh: NaN passes through") {
  CHECK(std::isnan(Hardtanh<-1.0, 1.0>::forward(std::numeric_limits<float>::quiet_NaN())));
}
#endif
