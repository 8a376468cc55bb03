// SPDX-License-Identifier: MIT
#pragma once

#include <utility>
#include <vector>

#include "sinter/core/random.hpp"
#include "sinter/core/strict.hpp"
#include "sinter/data/disc.hpp"

SINTER_NAMESPACE_BEGIN

SINTER_FUNCTION LabelledData<float, Shape<2>, std::uint8_t> disc(std::size_t points, std::uint64_t seed) {
  if (points == 0) fail("a disc problem of 0 points was asked for; ask for at least 1");
  constexpr double squared_radius = 0.15915494309189535;  // 1 / (2 pi)
  constexpr std::uint32_t stream = 0xd15c;

  std::vector<float> inputs(2 * points);
  std::vector<std::uint8_t> labels(points);
  for (std::size_t i = 0; i < points; ++i) {
    const auto random = philox(Words<std::uint32_t>{{static_cast<std::uint32_t>(i),
                                                     static_cast<std::uint32_t>(std::uint64_t{i} >> 32), 0, stream}},
                               seed);
    const double x = uniform<double>(random.word[0]), y = uniform<double>(random.word[1]);
    labels[i] = x * x + y * y < squared_radius;  // exact: both are multiples of 2^-24
    inputs[2 * i] = static_cast<float>(x);
    inputs[2 * i + 1] = static_cast<float>(y);
  }

  for (std::size_t column = 0; column < 2; ++column) {
    const Strict count(static_cast<double>(points));
    Strict sum(0), squares(0);
    for (std::size_t i = column; i < inputs.size(); i += 2) sum = sum + Strict(inputs[i]);
    const Strict mean = sum / count;
    for (std::size_t i = column; i < inputs.size(); i += 2) {
      const Strict distance = Strict(inputs[i]) - mean;
      squares = squares + distance * distance;
    }
    const Strict deviation = points > 1 ? sqrt(squares / count) : Strict(1);
    for (std::size_t i = column; i < inputs.size(); i += 2)
      inputs[i] = static_cast<float>(((Strict(inputs[i]) - mean) / deviation).value);
  }
  return {std::move(inputs), std::move(labels)};
}

SINTER_NAMESPACE_END
