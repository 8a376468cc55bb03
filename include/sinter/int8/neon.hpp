// SPDX-License-Identifier: MIT
#pragma once

#if defined(__aarch64__) && defined(__ARM_NEON)

#include <arm_neon.h>

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "sinter/int8/instructions.hpp"

SINTER_NAMESPACE_BEGIN

namespace int8 {

/// Numbers as 16 bits: 4 products an instruction.
struct Neon {
  static constexpr const char* name = "NEON";
  using Operand = std::int16_t;
  static constexpr int rows = 4, group = 4;

  template <int R>
  static void sums(const Operand* const* row, const Runs& runs, const std::int8_t* w, int count,
                   std::int32_t (*to)[panel]) {
    constexpr int outputs = R == 1 ? 16 : R == 2 ? 8 : 4;
    const int groups = runs.groups_of(group);
    std::fill_n(to[0], R * panel, 0);
    for (int first = 0; first < count; first += outputs) {
      int32x4_t acc[R][outputs];  // the sums of inputs 0, 1, 2 and 3 of all groups
      for (auto& of_row : acc)
        for (int32x4_t& one : of_row) one = vdupq_n_s32(0);
      const std::int8_t* at = w + 4 * first;
      each_run(runs, [&](int begin) SINTER_LAMBDA {
        for (int k = 0; k < groups; ++k, at += group * panel) {
          int16x4_t x[R];
          for (int r = 0; r < R; ++r) x[r] = vld1_s16(row[r] + begin + group * k);
          for (int o = 0; o < outputs; o += 2) {
            const int16x8_t two = vmovl_s8(vld1_s8(at + 4 * o));
            for (int r = 0; r < R; ++r) {
              acc[r][o] = vmlal_s16(acc[r][o], vget_low_s16(two), x[r]);
              acc[r][o + 1] = vmlal_s16(acc[r][o + 1], vget_high_s16(two), x[r]);
            }
          }
        }
      });
      for (int r = 0; r < R; ++r)
        for (int o = 0; o < outputs; o += 4)
          vst1q_s32(to[r] + first + o,
                    vpaddq_s32(vpaddq_s32(acc[r][o], acc[r][o + 1]), vpaddq_s32(acc[r][o + 2], acc[r][o + 3])));
    }
  }

  static void store(const std::int32_t* sums, const std::int32_t* start, const std::int32_t* multipliers,
                    const Rescale& rescale, std::uint8_t* to, int count) {
    uint16x4_t q[4];
    for (int v = 0; v < 4; ++v) q[v] = rescaled(sums + 4 * v, start + 4 * v, multipliers + 4 * v, rescale);
    const uint8x16_t bytes = vcombine_u8(vmovn_u16(vcombine_u16(q[0], q[1])), vmovn_u16(vcombine_u16(q[2], q[3])));
    if (count == panel) {
      vst1q_u8(to, bytes);
    } else {
      std::uint8_t all[panel];
      vst1q_u8(all, bytes);
      for (int o = 0; o < count; ++o) to[o] = all[o];
    }
  }

 private:
  /// Four of them: products of 64 bits, shifted with a half.
  SINTER_INLINE static uint16x4_t rescaled(const std::int32_t* sums, const std::int32_t* start,
                                           const std::int32_t* multipliers, const Rescale& rescale) {
    const int32x4_t sum = vaddq_s32(vld1q_s32(sums), vld1q_s32(start)), by = vld1q_s32(multipliers);
    const int64x2_t shift = vdupq_n_s64(-rescale.shift);
    const int64x2_t first = vrshlq_s64(vmull_s32(vget_low_s32(sum), vget_low_s32(by)), shift);
    const int64x2_t second = vrshlq_s64(vmull_high_s32(sum, by), shift);
    const int32x4_t q = vaddq_s32(vcombine_s32(vmovn_s64(first), vmovn_s64(second)), vdupq_n_s32(rescale.zero));
    const int32x4_t limited = vminq_s32(vmaxq_s32(q, vdupq_n_s32(rescale.low)), vdupq_n_s32(rescale.high));
    return vmovn_u32(vreinterpretq_u32_s32(limited));
  }
};

#if defined(__ARM_FEATURE_DOTPROD)
/// 16 products an instruction. Without the one of unsigned and signed numbers (i8mm), x - 128 and 128 times the sum of
/// the weights, which is exact.
struct NeonDot {
#if defined(__ARM_FEATURE_MATMUL_INT8)
  static constexpr bool offset = false;
  static constexpr const char* name = "NEON i8mm";
#else
  static constexpr bool offset = true;
  static constexpr const char* name = "NEON dot product";
#endif
  using Operand = std::uint8_t;
  static constexpr int rows = 4, group = 4;

  template <int R>
  static void sums(const Operand* const* row, const Runs& runs, const std::int8_t* w, int, std::int32_t (*to)[panel]) {
    const int groups = runs.groups_of(group);
    int32x4_t acc[R][4], of_weights[4];
    for (int v = 0; v < 4; ++v) {
      of_weights[v] = vdupq_n_s32(0);
      for (int r = 0; r < R; ++r) acc[r][v] = vdupq_n_s32(0);
    }
    each_run(runs, [&](int begin) SINTER_LAMBDA {
      for (int k = 0; k < groups; ++k, w += group * panel) {
        int8x16_t weights[4];
        for (int v = 0; v < 4; ++v) {
          weights[v] = vld1q_s8(w + 16 * v);
          if constexpr (offset) of_weights[v] = vdotq_s32(of_weights[v], weights[v], vdupq_n_s8(1));
        }
        for (int r = 0; r < R; ++r) {
          std::uint32_t four;
          std::memcpy(&four, row[r] + begin + group * k, sizeof four);
          for (int v = 0; v < 4; ++v) acc[r][v] = add_products(acc[r][v], weights[v], four);
        }
      }
    });
    for (int r = 0; r < R; ++r)
      for (int v = 0; v < 4; ++v)
        vst1q_s32(to[r] + 4 * v, offset ? vaddq_s32(acc[r][v], vshlq_n_s32(of_weights[v], 7)) : acc[r][v]);
  }
  static constexpr auto& store = Neon::store;

 private:
  SINTER_INLINE static int32x4_t add_products(int32x4_t sum, int8x16_t weights, std::uint32_t four) {
#if defined(__ARM_FEATURE_MATMUL_INT8)
    return vusdotq_s32(sum, vreinterpretq_u8_u32(vdupq_n_u32(four)), weights);
#else
    return vdotq_s32(sum, weights, vreinterpretq_s8_u32(vdupq_n_u32(four ^ 0x80808080u)));
#endif
  }
};
#endif

}  // namespace int8

SINTER_NAMESPACE_END

#endif
