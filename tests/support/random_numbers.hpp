// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <random>
#include <vector>

/// Numbers from -1 to 1, the same for a seed.
inline std::vector<float> random_numbers(std::size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> number(-1, 1);
  std::vector<float> all(count);
  for (float& x : all) x = number(random);
  return all;
}
