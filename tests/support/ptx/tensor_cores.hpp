// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "support/ptx/instruction.hpp"

namespace sinter_test::ptx {

/// mma.sync of TF32 (m16n8k8) and BF16 (m16n8k16), d = a b + c; null for anything else. rows[0..3] are d, [4..7] a, [8,
/// 9] b and [10..13] c. Sums are rounded once, in the order of k. All lanes of a warp must be there: throws Fault
/// otherwise.
Compute tensor_product_of(const std::vector<std::string>& words);

/// cvt.rn.tf32.f32 and cvt.rn.bf16x2.f32, of one number and of two, the first to the upper half; null for anything else.
Compute tensor_conversion_of(const std::vector<std::string>& words);

}  // namespace sinter_test::ptx
