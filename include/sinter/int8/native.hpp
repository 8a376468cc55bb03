// SPDX-License-Identifier: MIT
#pragma once

#include <type_traits>

#include "sinter/int8/cortex_m.hpp"
#include "sinter/int8/instructions.hpp"
#include "sinter/int8/neon.hpp"
#include "sinter/int8/wasm.hpp"

SINTER_NAMESPACE_BEGIN

namespace int8 {

/// The best instructions that the program is compiled for.
#if (defined(__AVX512VNNI__) || defined(__AVXVNNI__)) && defined(__AVX2__)
using Native = Vnni;
#elif defined(__AVX2__)
using Native = Avx2;
#elif defined(__aarch64__) && defined(__ARM_FEATURE_DOTPROD)
using Native = NeonDot;
#elif defined(__aarch64__) && defined(__ARM_NEON)
using Native = Neon;
#elif defined(__wasm_simd128__)
using Native = Wasm;
#elif defined(__ARM_FEATURE_SIMD32) && defined(__ARM_ARCH_PROFILE) && __ARM_ARCH_PROFILE == 'M'
using Native = CortexM;
#else
using Native = Plain;
#endif

/// The best of those that read weights as a network keeps them: of constants that are read in place.
using NativeInPlace = std::conditional_t<Native::group == kept_group, Native, Plain>;

}  // namespace int8

SINTER_NAMESPACE_END
