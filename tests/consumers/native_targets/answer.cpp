// SPDX-License-Identifier: MIT
// A function of a library, with a network that its program does not see.
#include <sinter/sinter.hpp>

namespace {
struct Net : sinter::Sequential<sinter::Input<1>, sinter::Linear<UNITS>, sinter::Tanh, sinter::Linear<1>> {};
}  // namespace

float ANSWER(float question) {
  const sinter::Network<Net> net{{.seed = 1}};
  sinter::Tensor<float, sinter::Shape<1>> x(1);
  x(0, 0) = question;
  return sinter::predict(net, x)(0, 0);
}
