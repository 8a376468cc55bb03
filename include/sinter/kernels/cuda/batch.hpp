// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>

#include "sinter/core/shuffle.hpp"
#include "sinter/ops/mask_key.hpp"

SINTER_NAMESPACE_BEGIN

namespace cuda {

/// Which rows of a dataset make a batch, found on the device: rows[first + i], or the place of first + i in a random
/// order, or first + i itself.
struct Choice {
  const std::uint32_t* rows = nullptr;
  std::uint32_t first = 0;
  bool shuffled = false;
  Permutation order{1, 0, 0};

  template <class X>
  SINTER_FN std::uint32_t operator()(X& x, std::uint32_t i) const {
    if (rows != nullptr) return x.global(rows)[first + i];
    return shuffled ? static_cast<std::uint32_t>(order(first + i)) : first + i;
  }
};

/// A dataset in the memory of a device: inputs [rows][input] of float, double or bytes, scaled on loading; a label or a
/// row of numbers for each.
template <class Element, class Target, class T>
struct Rows {
  const Element* inputs = nullptr;
  const Target* targets = nullptr;
  T scale = 1, shift = 0;
};

}  // namespace cuda

SINTER_NAMESPACE_END
