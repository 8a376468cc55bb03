// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sinter/core/random.hpp"
#include "sinter/ops/mask_key.hpp"
#include "sinter/ops/op.hpp"

SINTER_NAMESPACE_BEGIN

namespace reference_kernels {

/// The m of y = m x, [rows][element]: 0 or 1 / (1 - p). Elements of a channel may share a decision.
template <class T>
std::vector<T> draw_masks(const Op& op, MaskKey key, const std::uint32_t* samples, std::size_t rows) {
  const int decisions = op.per_channel ? op.in.channels : op.in.size();
  std::vector<T> decided(static_cast<std::size_t>(decisions));
  std::vector<T> masks;
  for (std::size_t row = 0; row < rows; ++row) {
    keep_masks<T>(key.seed, samples[row], key.step, static_cast<std::uint32_t>(op.stream()), decisions, op.probability,
                  decided.data());
    for (int i = 0; i < op.in.size(); ++i)
      masks.push_back(decided[static_cast<std::size_t>(op.per_channel ? i / op.in.pixels() : i)]);
  }
  return masks;
}

}  // namespace reference_kernels

SINTER_NAMESPACE_END
