// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/core/macros.hpp"

SINTER_NAMESPACE_BEGIN

/// Instruction sets, as the translation unit is compiled. `vector_bytes` is the register that kernels work in,
/// `wide_bytes` the widest there is, `registers` how many: block sizes follow from them.
///
/// Avx512 works in 32-byte registers: on Zen 4, whose units are half as wide as its registers, both widths have the
/// same peak, and a tile of 8 samples needs half the cache of one of 16. Avx512Wide works in 64 bytes, for processors
/// whose units are that wide. Of these, Intel's servers since Sapphire Rapids are known by AVX512-FP16, which no
/// processor with narrower units is known to have; elsewhere (Zen 5) -DSINTER_VECTOR_BYTES=64 chooses it, as 32 chooses
/// the narrower one. A width that the instruction set does not have is refused.
///
/// Scalar is for processors without vectors of floats, such as Cortex-M: registers of one number each, and the least
/// code. -D SINTER_VECTOR_BYTES=4 chooses it on any processor.
namespace isa {
struct Portable {
  static constexpr const char* name = "portable (16-byte vectors)";
  static constexpr int vector_bytes = 16, wide_bytes = 16, registers = 16;
};
struct Avx2 {
  static constexpr const char* name = "AVX2";
  static constexpr int vector_bytes = 32, wide_bytes = 32, registers = 16;
};
struct Avx512 {
  static constexpr const char* name = "AVX-512";
  static constexpr int vector_bytes = 32, wide_bytes = 64, registers = 32;
};
struct Avx512Wide {
  static constexpr const char* name = "AVX-512 (64-byte vectors)";
  static constexpr int vector_bytes = 64, wide_bytes = 64, registers = 32;
};
struct Scalar {
  static constexpr const char* name = "scalar";
  static constexpr int vector_bytes = 4, wide_bytes = 4, registers = 32;
};
struct Neon {
  static constexpr const char* name = "NEON";
  static constexpr int vector_bytes = 16, wide_bytes = 16, registers = 32;
};

/// The one that is compiled for, as CMake asks the preprocessor: cmake/sinter-compiled.cmake.
#if defined(SINTER_VECTOR_BYTES) && SINTER_VECTOR_BYTES == 4
#define SINTER_NATIVE_ISA Scalar
#elif defined(__AVX512F__) && defined(__AVX512VL__) && defined(__AVX512DQ__) && defined(__AVX512BW__)
#if defined(SINTER_VECTOR_BYTES) ? SINTER_VECTOR_BYTES == 64 : defined(__AVX512FP16__)
#define SINTER_NATIVE_ISA Avx512Wide
#else
#define SINTER_NATIVE_ISA Avx512
#endif
#elif defined(__AVX2__) && defined(__FMA__)
#define SINTER_NATIVE_ISA Avx2
#elif defined(__ARM_NEON)
#define SINTER_NATIVE_ISA Neon
#elif defined(__ARM_ARCH_PROFILE) && __ARM_ARCH_PROFILE == 'M'
#define SINTER_NATIVE_ISA Scalar
#else
#define SINTER_NATIVE_ISA Portable
#endif
using Native = SINTER_NATIVE_ISA;

#if defined(SINTER_VECTOR_BYTES)
#define SINTER_TEXT_OF(number) #number
#define SINTER_TEXT(number) SINTER_TEXT_OF(number)
static_assert(bool{Native::vector_bytes == SINTER_VECTOR_BYTES},  // which saves a note of four lines
              "sinter: SINTER_VECTOR_BYTES was given as " SINTER_TEXT(SINTER_VECTOR_BYTES)
              ", expected 64 or 32 with AVX-512 (F, VL, DQ and BW), 32 with AVX2 and FMA, 16 without, 4 for no "
              "vectors; compile for the processor (-march=native), or leave SINTER_VECTOR_BYTES out");
#undef SINTER_TEXT
#undef SINTER_TEXT_OF
#endif
}  // namespace isa

SINTER_NAMESPACE_END

namespace sinter {
namespace isa = internal::isa;
}  // namespace sinter
