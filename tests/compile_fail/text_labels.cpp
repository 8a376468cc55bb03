// SPDX-License-Identifier: MIT
// expected: float or double (a Tensor or a TensorView); rows of bytes, and vectors of float, bool or text, are
#include <sinter/sinter.hpp>
using namespace sinter;
auto of_texts(const Tensor<float, Shape<2>>& x, const std::vector<const char*>& labels) { return dataset(x, labels); }
