// expected: sinter: integers need a scale: LabelledData(inputs, labels, Normalize::pixels(mean, deviation))
// SPDX-License-Identifier: MIT
#include <sinter/sinter.hpp>
using namespace sinter;

const LabelledData<std::uint8_t, Shape<2>, int> data({1, 2}, {0});
