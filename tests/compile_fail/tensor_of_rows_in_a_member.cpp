// expected: sinter: rows of zeros: x(rows), of a member x = Tensor<..>(rows)
// SPDX-License-Identifier: MIT
#include <sinter/sinter.hpp>
using namespace sinter;

struct Generator {
  explicit Generator(unsigned size) : x{size} {}
  Tensor<double, Shape<1>> x;
};
