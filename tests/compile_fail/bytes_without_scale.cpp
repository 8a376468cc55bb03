// expected: sinter: integers need a scale: dataset(rows, labels, Normalize::pixels(mean, deviation))
// SPDX-License-Identifier: MIT
#include <sinter/sinter.hpp>
using namespace sinter;

auto pixels(const Tensor<std::uint8_t, Shape<4>>& x, const std::vector<int>& labels) { return dataset(x, labels); }
