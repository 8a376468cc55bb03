// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>

/// The same numbers on every machine.
template <class Model>
constexpr auto input() {
  std::array<float, static_cast<std::size_t>(Model::InputRow::size)> x{};
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i * 37 % 101) / 64 - 0.75f;
  return x;
}
