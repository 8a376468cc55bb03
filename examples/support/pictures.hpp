// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>
#include <cstdint>
#include <sinter/core/random.hpp>
#include <sinter/data/cifar.hpp>
#include <string>
#include <utility>
#include <vector>

/// Stripes of ten directions in random colours, with noise, in the form of CIFAR-10: to run an example without its data.
inline sinter::Cifar::Data draw_stripes(std::size_t count, std::uint64_t seed) {
  std::vector<std::uint8_t> inputs, labels;
  for (std::uint32_t i = 0; i < count; ++i) {
    const auto random = sinter::philox(sinter::Words<std::uint32_t>{{i, 0, 0, 1}}, seed);
    labels.push_back(static_cast<std::uint8_t>(i % 10));
    const double angle = labels.back() * 0.314159, phase = sinter::uniform<double>(random.word[0]) * 6.283;
    for (std::uint32_t p = 0; p < 3072; ++p) {
      const double along = std::cos(angle) * (p % 32) + std::sin(angle) * (p / 32 % 32);
      const auto noise = sinter::philox(sinter::Words<std::uint32_t>{{i, p, 0, 2}}, seed).word[0];
      const double colour = 40 + 40 * sinter::uniform<double>(random.word[1 + p / 1024]);
      inputs.push_back(static_cast<std::uint8_t>(100 + colour * std::sin(along + phase) + (noise >> 26)));
    }
  }
  return {std::move(inputs), std::move(labels), sinter::Normalize::pixels(0.5f, 1)};
}

/// CIFAR-10 of a folder, or stripes where none is given.
inline sinter::Cifar read_pictures(const std::string& folder) {
  if (!folder.empty()) return sinter::read_cifar10(folder);
  return {draw_stripes(500, 1), draw_stripes(100, 2)};
}
