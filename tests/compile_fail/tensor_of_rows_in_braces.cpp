// expected: sinter: rows of zeros: x(rows), of a member x = Tensor<..>(rows)
// SPDX-License-Identifier: MIT
#include <sinter/sinter.hpp>
using namespace sinter;

constexpr std::size_t batch_size = 64;
Tensor<float, Shape<1, 128>> x{batch_size};
