// SPDX-License-Identifier: MIT
// expected: of float, double or std::uint8_t
#include <sinter/sinter.hpp>
using namespace sinter;
auto of_samples(TensorView<const char, Shape<2>> x, const std::vector<int>& labels) { return dataset(x, labels); }
