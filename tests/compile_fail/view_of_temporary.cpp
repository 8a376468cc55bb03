// expected: sinter: view() of a temporary Tensor would see memory that is gone; give the tensor a name first
// SPDX-License-Identifier: MIT
#include <sinter/sinter.hpp>
using namespace sinter;

void rows() { const auto view = Tensor<float, Shape<2>>(5).view(); }
