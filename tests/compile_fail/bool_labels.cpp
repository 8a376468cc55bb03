// SPDX-License-Identifier: MIT
// expected: float or double (a Tensor or a TensorView); rows of bytes, and vectors of float, bool or text, are
#include <sinter/sinter.hpp>
using namespace sinter;
auto of_flags(const Tensor<float, Shape<2>>& x, const std::vector<bool>& labels) { return dataset(x, labels); }
