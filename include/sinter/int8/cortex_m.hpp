// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/int8/instructions.hpp"

#if defined(__ARM_FEATURE_SIMD32) && defined(__ARM_ARCH_PROFILE) && __ARM_ARCH_PROFILE == 'M'

#include <arm_acle.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>

SINTER_NAMESPACE_BEGIN

namespace int8 {

/// The instructions of Cortex-M for two numbers of 16 bits: two products an instruction. One row at a time takes the
/// least code.
struct CortexM {
  static constexpr const char* name = "Cortex-M SIMD";
  using Operand = std::uint8_t;
  static constexpr int rows = 1, group = 4;

  template <int R>
  static void sums(const Operand* const* row, const Runs& runs, const std::int8_t* w, int count,
                   std::int32_t (*to)[panel]) {
    const int groups = runs.groups_of(group);
    std::fill_n(to[0], R * panel, 0);
    for (int first = 0; first < count; first += 4) {
      std::int32_t a = 0, b = 0, c = 0, d = 0;  // of four outputs
      const std::int8_t* at = w + group * first;
      each_run(runs, [&](int begin) SINTER_LAMBDA {
        const Operand* x = row[0] + begin;
        for (int k = 0; k < groups; ++k, at += group * panel, x += group) {
          const std::uint32_t four = load(x), even = __uxtb16(four), odd = __uxtb16(std::rotr(four, 8));
          a = add_products(a, at, even, odd);
          b = add_products(b, at + group, even, odd);
          c = add_products(c, at + 2 * group, even, odd);
          d = add_products(d, at + 3 * group, even, odd);
        }
      });
      std::int32_t* const sums = to[0] + first;
      sums[0] = a;
      sums[1] = b;
      sums[2] = c;
      sums[3] = d;
    }
  }

  /// A shift is 32 at least: that of the upper half.
  static void store(const std::int32_t* sums, const std::int32_t* start, const std::int32_t* multipliers,
                    const Rescale& rescale, std::uint8_t* to, int count) {
    const std::int64_t half = std::int64_t{1} << (rescale.shift - 1);
    for (int o = 0; o < count; ++o) {
      const std::int64_t product = std::int64_t{sums[o] + start[o]} * multipliers[o] + half;
      const std::int32_t q = (static_cast<std::int32_t>(product >> 32) >> (rescale.shift - 32)) + rescale.zero;
      to[o] = static_cast<std::uint8_t>(q < rescale.low ? rescale.low : q > rescale.high ? rescale.high : q);
    }
  }

 private:
  SINTER_INLINE static std::int32_t add_products(std::int32_t sum, const std::int8_t* w, std::uint32_t even,
                                                 std::uint32_t odd) {
    const std::uint32_t four = load(w);
    sum = __smlad(static_cast<std::int32_t>(__sxtb16(signed_of(four))), signed_of(even), sum);
    return __smlad(static_cast<std::int32_t>(__sxtb16(signed_of(std::rotr(four, 8)))), signed_of(odd), sum);
  }
  SINTER_INLINE static std::int32_t signed_of(std::uint32_t bits) { return static_cast<std::int32_t>(bits); }
  SINTER_INLINE static std::uint32_t load(const void* from) {
    std::uint32_t four;
    std::memcpy(&four, from, sizeof four);
    return four;
  }
};

}  // namespace int8

SINTER_NAMESPACE_END

#endif
