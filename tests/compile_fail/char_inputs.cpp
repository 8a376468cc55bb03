// SPDX-License-Identifier: MIT
// expected: of float, double, std::uint8_t, std::int8_t or std::int16_t
#include <sinter/sinter.hpp>
using namespace sinter;
auto of_samples(TensorView<const char, Shape<2>> x, const std::vector<int>& labels) { return dataset(x, labels); }
