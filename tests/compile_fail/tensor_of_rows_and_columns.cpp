// expected: sinter: Tensor<float, Shape<2>> x(rows)
// SPDX-License-Identifier: MIT
#include <sinter/sinter.hpp>
using namespace sinter;

Tensor<float, Shape<2>> x(4, 2);
