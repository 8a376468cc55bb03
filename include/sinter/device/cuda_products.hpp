// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/core/macros.hpp"

SINTER_NAMESPACE_BEGIN

/// What the large products of a network on a GPU are computed of. Weights, sums, and everything else are numbers of 32
/// bits in any case.
enum class CudaProducts : unsigned char {
  float32,  ///< factors of 24 bits, without tensor cores
  tf32x3,   ///< of about 21 bits: three products of 11 bits on tensor cores
  tf32,     ///< of 11 bits, on tensor cores
  bf16,     ///< of 8 bits, on tensor cores
};

/// Its name: "tf32".
constexpr const char* name_of(CudaProducts products) {
  constexpr const char* names[] = {"float32", "tf32x3", "tf32", "bf16"};
  return names[static_cast<int>(products)];
}

SINTER_NAMESPACE_END

namespace sinter {
using internal::CudaProducts;
}  // namespace sinter
