// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sinter/core/random.hpp"
#include "sinter/ops/mask_key.hpp"
#include "sinter/ops/op.hpp"

SINTER_NAMESPACE_BEGIN

namespace reference {

/// The m of y = m x for one sample, element by element: 0 or 1 / (1 - p). Elements of a channel may share a decision.
template <class T>
std::vector<T> draw_masks(const Op& op, MaskKey key, std::uint32_t sample) {
  const int decisions = op.per_channel ? op.in.channels : op.in.size();
  std::vector<T> decided(static_cast<std::size_t>(decisions));
  keep_masks<T>(key.seed, sample, key.step, static_cast<std::uint32_t>(op.stream()), decisions, op.probability,
                decided.data());

  std::vector<T> masks;
  for (int i = 0; i < op.in.size(); ++i)
    masks.push_back(decided[static_cast<std::size_t>(op.per_channel ? i / op.in.pixels() : i)]);
  return masks;
}

}  // namespace reference

SINTER_NAMESPACE_END
