// SPDX-License-Identifier: MIT
// One row of LeNet.
#include <cstdio>

#include "network.hpp"

int main() {
  const Network<LeNet> net;
  auto workspace = net.workspace(1);
  const Tensor<float, Shape<1, 28, 28>> x(1);
  std::printf("%f\n", static_cast<double>(net.forward(x, workspace)(0, 0)));
}
