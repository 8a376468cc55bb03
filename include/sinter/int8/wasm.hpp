// SPDX-License-Identifier: MIT
#pragma once

#if defined(__wasm_simd128__)

#include <wasm_simd128.h>

#include <algorithm>
#include <cstdint>

#include "sinter/int8/instructions.hpp"

SINTER_NAMESPACE_BEGIN

namespace int8 {

/// Numbers as 16 bits: 8 products an instruction.
struct Wasm {
  static constexpr const char* name = "WebAssembly SIMD";
  using Operand = std::int16_t;
  static constexpr int rows = 4, group = 4;

  template <int R>
  static void sums(const Operand* const* row, const Runs& runs, const std::int8_t* w, int count,
                   std::int32_t (*to)[panel]) {
    constexpr int vectors = R == 1 ? 8 : 2;  // of two outputs
    const int groups = runs.groups_of(group);
    std::fill_n(to[0], R * panel, 0);
    for (int first = 0; first < count; first += 2 * vectors) {
      v128_t acc[R][vectors];
      for (auto& of_row : acc)
        for (v128_t& one : of_row) one = wasm_i32x4_const_splat(0);
      const std::int8_t* at = w + 4 * first;
      each_run(runs, [&](int begin) SINTER_LAMBDA {
        for (int k = 0; k < groups; ++k, at += group * panel) {
          v128_t weights[vectors];
          for (int v = 0; v < vectors; ++v) weights[v] = wasm_i16x8_load8x8(at + 8 * v);
          for (int r = 0; r < R; ++r) {
            const v128_t x = wasm_v128_load64_splat(row[r] + begin + group * k);
            for (int v = 0; v < vectors; ++v)
              acc[r][v] = wasm_i32x4_add(acc[r][v], wasm_i32x4_dot_i16x8(weights[v], x));
          }
        }
      });
      for (int r = 0; r < R; ++r)
        for (int v = 0; v < vectors; v += 2) {  // neighbours are of one output
          const v128_t a = acc[r][v], b = acc[r][v + 1];
          wasm_v128_store(to[r] + first + 2 * v,
                          wasm_i32x4_add(wasm_i32x4_shuffle(a, b, 0, 2, 4, 6), wasm_i32x4_shuffle(a, b, 1, 3, 5, 7)));
        }
    }
  }

  static void store(const std::int32_t* sums, const std::int32_t* start, const std::int32_t* multipliers,
                    const Rescale& rescale, std::uint8_t* to, int count) {
    v128_t q[4];
    for (int v = 0; v < 4; ++v) q[v] = rescaled(sums + 4 * v, start + 4 * v, multipliers + 4 * v, rescale);
    const v128_t bytes =
        wasm_u8x16_narrow_i16x8(wasm_i16x8_narrow_i32x4(q[0], q[1]), wasm_i16x8_narrow_i32x4(q[2], q[3]));
    if (count == panel) {
      wasm_v128_store(to, bytes);
    } else {
      std::uint8_t all[panel];
      wasm_v128_store(all, bytes);
      for (int o = 0; o < count; ++o) to[o] = all[o];
    }
  }

 private:
  /// Four of them: products of 64 bits, shifted with a half.
  SINTER_INLINE static v128_t rescaled(const std::int32_t* sums, const std::int32_t* start,
                                       const std::int32_t* multipliers, const Rescale& rescale) {
    const v128_t sum = wasm_i32x4_add(wasm_v128_load(sums), wasm_v128_load(start)), by = wasm_v128_load(multipliers);
    const v128_t half = wasm_i64x2_splat(std::int64_t{1} << (rescale.shift - 1));
    const auto shift = static_cast<std::uint32_t>(rescale.shift);
    const v128_t first = wasm_i64x2_shr(wasm_i64x2_add(wasm_i64x2_extmul_low_i32x4(sum, by), half), shift);
    const v128_t second = wasm_i64x2_shr(wasm_i64x2_add(wasm_i64x2_extmul_high_i32x4(sum, by), half), shift);
    const v128_t q = wasm_i32x4_add(wasm_i32x4_shuffle(first, second, 0, 2, 4, 6), wasm_i32x4_splat(rescale.zero));
    return wasm_i32x4_min(wasm_i32x4_max(q, wasm_i32x4_splat(rescale.low)), wasm_i32x4_splat(rescale.high));
  }
};

}  // namespace int8

SINTER_NAMESPACE_END

#endif
