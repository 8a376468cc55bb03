// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#if defined(__AVX2__)
#include <immintrin.h>
#endif

#include "sinter/int8/fixed_point.hpp"

SINTER_NAMESPACE_BEGIN

/// Instruction sets of the inner products of 8 bits. All give the same integers. Each has `sums`: of R rows, from 1 to
/// `rows`, 16 outputs each, of which those after the first `count` may be any numbers; and `store`: the first `count`
/// of 16 sums, rescaled.
///
/// Weights are in panels of 16 outputs, [groups of inputs][16][group]. A group has 4 inputs in what a network keeps,
/// and `group` for an instruction set.
namespace int8 {

inline constexpr int panel = 16, kept_group = 4;

/// Which numbers of a row meet the weights of a panel: `outer` times `inner` runs of `length`. What is read beyond a
/// run, up to a whole group, has weights of 0.
struct Runs {
  int outer = 1, outer_step = 0, inner = 1, inner_step = 0, length = 0;
  constexpr int groups_of(int inputs) const { return (length + inputs - 1) / inputs; }
};
template <class Visit>
SINTER_INLINE void each_run(const Runs& runs, const Visit& visit) {
  const bool alone = runs.inner == 1;  // one loop
  const int outer = alone ? 1 : runs.outer, inner = alone ? runs.outer : runs.inner;
  const int step = alone ? runs.outer_step : runs.inner_step;
  for (int i = 0; i < outer; ++i)
    for (int k = 0; k < inner; ++k) visit(i * runs.outer_step + k * step);
}

/// The same in C++ alone: what all others are compared with.
struct Plain {
  static constexpr const char* name = "plain";
  using Operand = std::uint8_t;
  static constexpr int rows = 4, group = kept_group;

  template <int R>
  static void sums(const Operand* const* row, const Runs& runs, const std::int8_t* w, int, std::int32_t (*to)[panel]) {
    const int fours = runs.groups_of(group);
    for (int r = 0; r < R; ++r)
      for (int o = 0; o < panel; ++o) to[r][o] = 0;
    each_run(runs, [&](int begin) {
      for (int k = 0; k < fours; ++k, w += 4 * panel)
        for (int r = 0; r < R; ++r) {
          const Operand* const x = row[r] + begin + 4 * k;
          for (int o = 0; o < panel; ++o)
            to[r][o] += x[0] * w[4 * o] + x[1] * w[4 * o + 1] + x[2] * w[4 * o + 2] + x[3] * w[4 * o + 3];
        }
    });
  }
  static void store(const std::int32_t* sums, const std::int32_t* start, const std::int32_t* multipliers,
                    const Rescale& rescale, std::uint8_t* to, int count) {
    for (int o = 0; o < count; ++o) to[o] = rescale(sums[o] + start[o], multipliers[o]);
  }
};

#if defined(__AVX2__)
/// Numbers as 16 bits, because the instruction for those of 8 bits saturates: 16 products an instruction. Pairs of
/// inputs, so that each of 32 bits is the sum of one output.
struct Avx2 {
  static constexpr const char* name = "AVX2";
  using Operand = std::int16_t;
  static constexpr int rows = 6, group = 2;

  template <int R>
  static void sums(const Operand* const* row, const Runs& runs, const std::int8_t* w, int count,
                   std::int32_t (*to)[panel]) {
    if (count > 8)
      sums_of_vectors<R, 2>(row, runs, w, to);
    else
      sums_of_vectors<R, 1>(row, runs, w, to);
  }

  static void store(const std::int32_t* sums, const std::int32_t* start, const std::int32_t* multipliers,
                    const Rescale& rescale, std::uint8_t* to, int count) {
    const __m256i q =
        _mm256_permute4x64_epi64(_mm256_packs_epi32(rescaled(sums, start, multipliers, rescale),
                                                    rescaled(sums + 8, start + 8, multipliers + 8, rescale)),
                                 0xd8);
    const __m128i bytes = _mm_packus_epi16(_mm256_castsi256_si128(q), _mm256_extracti128_si256(q, 1));
    if (count == panel) {
      _mm_storeu_si128(reinterpret_cast<__m128i*>(to), bytes);
    } else {
      alignas(16) std::uint8_t all[panel];
      _mm_store_si128(reinterpret_cast<__m128i*>(all), bytes);
      for (int o = 0; o < count; ++o) to[o] = all[o];
    }
  }

 private:
  SINTER_INLINE static __m256i load(const std::int32_t* from) {
    return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
  }
  /// The first 8 outputs, or all. Of R = 6 rows, 12 sums and 2 vectors of weights leave 2 registers.
  template <int R, int Vectors>
  SINTER_SHARED static void sums_of_vectors(const Operand* const* from, const Runs& runs, const std::int8_t* w,
                                            std::int32_t (*to)[panel]) {
    __m256i acc[R][Vectors];
    for (auto& of_row : acc)
      for (__m256i& one : of_row) one = _mm256_setzero_si256();
    const Operand* row[R];
    for (int r = 0; r < R; ++r) row[r] = from[r];
    const int pairs = runs.groups_of(group);
    each_run(runs, [&](int begin) SINTER_LAMBDA {
      for (int k = 0; k < pairs; ++k, w += group * panel) {
        __m256i weights[Vectors];
        for (int v = 0; v < Vectors; ++v)
          weights[v] = _mm256_cvtepi8_epi16(_mm_loadu_si128(reinterpret_cast<const __m128i*>(w + 16 * v)));
        for (int r = 0; r < R; ++r) {
          std::int32_t pair;
          std::memcpy(&pair, row[r] + begin + group * k, sizeof pair);
          const __m256i x = _mm256_set1_epi32(pair);
          for (int v = 0; v < Vectors; ++v) acc[r][v] = _mm256_add_epi32(acc[r][v], _mm256_madd_epi16(weights[v], x));
        }
      }
    });
    for (int r = 0; r < R; ++r)
      for (int v = 0; v < 2; ++v)
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(to[r] + 8 * v),
                            v < Vectors ? acc[r][v] : _mm256_setzero_si256());
  }
  /// Eight of them: products of 64 bits, of even and of odd outputs.
  SINTER_INLINE static __m256i rescaled(const std::int32_t* sums, const std::int32_t* start,
                                        const std::int32_t* multipliers, const Rescale& rescale) {
    const __m256i sum = _mm256_add_epi32(load(sums), load(start)), by = load(multipliers);
    const __m256i half = _mm256_set1_epi64x(std::int64_t{1} << (rescale.shift - 1));
    const __m256i even = _mm256_add_epi64(_mm256_mul_epi32(sum, by), half);
    const __m256i odd = _mm256_add_epi64(_mm256_mul_epi32(_mm256_srli_epi64(sum, 32), _mm256_srli_epi64(by, 32)), half);
    const __m256i upper = _mm256_blend_epi32(_mm256_srli_epi64(even, 32), odd, 0xaa);
    const __m256i q = _mm256_add_epi32(_mm256_sra_epi32(upper, _mm_cvtsi32_si128(rescale.shift - 32)),
                                       _mm256_set1_epi32(rescale.zero));
    return _mm256_min_epi32(_mm256_max_epi32(q, _mm256_set1_epi32(rescale.low)), _mm256_set1_epi32(rescale.high));
  }
};
#endif

#if defined(__AVX512VNNI__) && defined(__AVX2__)
/// 64 products an instruction, which does not saturate.
struct Vnni {
  static constexpr const char* name = "AVX-512 VNNI";
  using Operand = std::uint8_t;
  static constexpr int rows = 8, group = kept_group;

  template <int R>
  static void sums(const Operand* const* row, const Runs& runs, const std::int8_t* w, int, std::int32_t (*to)[panel]) {
    const int fours = runs.groups_of(group);
    __m512i acc[R];
    for (__m512i& one : acc) one = _mm512_setzero_si512();
    each_run(runs, [&](int begin) SINTER_LAMBDA {
      for (int k = 0; k < fours; ++k, w += 4 * panel) {
        const __m512i weights = _mm512_loadu_si512(w);
        for (int r = 0; r < R; ++r) {
          std::int32_t four;
          std::memcpy(&four, row[r] + begin + 4 * k, sizeof four);
          acc[r] = _mm512_dpbusd_epi32(acc[r], _mm512_set1_epi32(four), weights);
        }
      }
    });
    for (int r = 0; r < R; ++r) _mm512_storeu_si512(to[r], acc[r]);
  }
  static constexpr auto& store = Avx2::store;
};
#elif defined(__AVXVNNI__) && defined(__AVX2__)
/// 32 products an instruction, which does not saturate.
struct Vnni {
  static constexpr const char* name = "AVX-VNNI";
  using Operand = std::uint8_t;
  static constexpr int rows = 4, group = kept_group;

  template <int R>
  static void sums(const Operand* const* row, const Runs& runs, const std::int8_t* w, int, std::int32_t (*to)[panel]) {
    const int fours = runs.groups_of(group);
    __m256i acc[R][2];
    for (auto& of_row : acc) of_row[0] = of_row[1] = _mm256_setzero_si256();
    each_run(runs, [&](int begin) SINTER_LAMBDA {
      for (int k = 0; k < fours; ++k, w += 4 * panel)
        for (int r = 0; r < R; ++r) {
          std::int32_t four;
          std::memcpy(&four, row[r] + begin + 4 * k, sizeof four);
          for (int v = 0; v < 2; ++v)
            acc[r][v] = _mm256_dpbusd_avx_epi32(acc[r][v], _mm256_set1_epi32(four),
                                                _mm256_loadu_si256(reinterpret_cast<const __m256i*>(w + 32 * v)));
        }
    });
    for (int r = 0; r < R; ++r)
      for (int v = 0; v < 2; ++v) _mm256_storeu_si256(reinterpret_cast<__m256i*>(to[r] + 8 * v), acc[r][v]);
  }
  static constexpr auto& store = Avx2::store;
};
#endif

}  // namespace int8

SINTER_NAMESPACE_END
