// SPDX-License-Identifier: MIT
// expected: float or double (a Tensor or a TensorView); rows of bytes, and vectors of float, bool or text, are
#include <sinter/sinter.hpp>
using namespace sinter;
auto of_bytes(const Tensor<float, Shape<2>>& x, TensorView<const std::uint8_t, Shape<2>> targets) {
  return dataset(x, targets);
}
