// SPDX-License-Identifier: MIT
// labels: optimised
#include "sinter/fn/leaky_relu.hpp"

#include "support/leaf.hpp"

using sinter::fn::LeakyRelu;

TEST_CASE("LeakyReLU: gradient, float, lanes") {
  const std::vector<double> x = {-30, -3, -1, -1e-3, 1e-3, 0.25, 1, 7};
  leaf::check<LeakyRelu<0.01>>(x);
  leaf::check<LeakyRelu<0.5>>(x);
  leaf::check<LeakyRelu<0.0>>(x);
  leaf::check<LeakyRelu<-0.3>>(x);
}

TEST_CASE("LeakyReLU: values") {
  CHECK(LeakyRelu<0.01>::forward(2.5f) == 2.5f);
  CHECK(LeakyRelu<0.01>::forward(-2.0) == -0.02);
  CHECK(LeakyRelu<0.25>::backward(-1.0, 4.0) == 1);
  CHECK(LeakyRelu<0.25>::backward(0.0, 4.0) == 1);
  CHECK(LeakyRelu<0.25>::backward(1.0, 4.0) == 4);
}

TEST_CASE("LeakyReLU: the output says the sign of the input unless the slope is below zero") {
  CHECK(LeakyRelu<0.01>::backward_reads_output);
  CHECK(!LeakyRelu<-0.3>::backward_reads_output);
  CHECK(sinter::fn::zeros_of<LeakyRelu<0.0>> == 0.5);
  CHECK(sinter::fn::zeros_of<LeakyRelu<0.1>> == 0);
}

#if !defined(__FAST_MATH__)
TEST_CASE_TEMPLATE("LeakyReLU: NaN passes through", T, float, double) {
  CHECK(std::isnan(LeakyRelu<0.01>::forward(std::numeric_limits<T>::quiet_NaN())));
}
#endif
