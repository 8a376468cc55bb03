// SPDX-License-Identifier: MIT
// expected: include <sinter/function.hpp>
#include <sinter/sinter.hpp>
using namespace sinter;
struct Net : Sequential<Input<3>, Linear<4>, ReLU, Linear<1>> {};
float slope(const Network<Net>& net) {
  const auto f = net.function();
  return f(1, 2, 3);
}
