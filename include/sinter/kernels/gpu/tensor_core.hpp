// SPDX-License-Identifier: MIT
#pragma once

#include <bit>
#include <cstdint>

#include "sinter/core/macros.hpp"
#include "sinter/device/cuda_products.hpp"
#include "sinter/fn/apply.hpp"

SINTER_NAMESPACE_BEGIN

namespace gpu_kernels {

/// Products on tensor cores: a warp multiplies 16 rows by `depth` by 16 columns. Lane l has rows l / 4 and l / 4 + 8
/// and four columns from l % 4 * 4 on of the sums, and of the factors the numbers with these k of the same rows and of
/// columns l / 4 * 2 and the next (PTX ISA, `mma.sync` m16n8k8 and m16n8k16). How a tensor core rounds its sums is not
/// specified: on the CPU they are rounded once for a product.
template <CudaProducts P>
struct TensorCore {
  static constexpr int depth = P == CudaProducts::bf16 ? 16 : 8, numbers = depth / 4;

  /// The k of number e of a lane.
  SINTER_FN static int k_of(int lane, int e) {
    return P == CudaProducts::bf16 ? lane % 4 * 2 + e % 2 + e / 2 * 8 : lane % 4 + e * 4;
  }

  /// A factor as it is multiplied: the nearest with so many bits.
  SINTER_FN static float rounded(float x) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    if constexpr (P != CudaProducts::bf16) {
      std::uint32_t bits;
#if __CUDA_ARCH__ >= 900  // one instruction, where the other rounding takes five
      asm("cvt.rn.tf32.f32 %0, %1;" : "=r"(bits) : "f"(x));
#else
      asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(bits) : "f"(x));
#endif
      return __uint_as_float(bits);
    } else {
      return x;  // rounded when two are packed
    }
#elif defined(__CUDA_ARCH__)
    return x;
#else
    const std::uint32_t bits = std::bit_cast<std::uint32_t>(x);
    constexpr std::uint32_t dropped = P == CudaProducts::bf16 ? 16 : 13, half = 1u << (dropped - 1);
    const std::uint32_t nearest = (bits + half - 1 + (bits >> dropped & 1u)) >> dropped << dropped;
    return (bits & 0x7f800000u) == 0x7f800000u ? x : std::bit_cast<float>(nearest);
#endif
  }

  /// What shared memory holds of a factor: rounded once, before all warps that use it, where that can be.
  SINTER_FN static float kept(float x) {
#if defined(__CUDA_ARCH__)
    return P == CudaProducts::tf32 ? rounded(x) : x;
#else
    return P == CudaProducts::tf32x3 ? x : rounded(x);
#endif
  }

  /// sum [row of the lane][column] += a [row][e] b [column pair][e], by all lanes of a warp.
  template <class Sums>
  SINTER_FN static void multiply(const float (&a)[2][numbers], const float (&b)[2][numbers], Sums&& sum) {
    if constexpr (P != CudaProducts::tf32x3) return add(a, b, sum);
    float left[2][numbers], left_rest[2][numbers], right[2][numbers], right_rest[2][numbers];
    split(a, left, left_rest);
    split(b, right, right_rest);
    add(left_rest, right, sum);
    add(left, right_rest, sum);
    add(left, right, sum);
  }

  /// The same for neighbouring sums of a row, by one thread: a(k), b(k, column). GPUs without such tensor cores do not
  /// round the factors.
  template <int Columns, class A, class B>
  SINTER_FN static void multiply_row(float (&sum)[Columns], A&& a, B&& b) {
#if defined(__CUDA_ARCH__)
    SINTER_UNROLL
    for (int k = 0; k < depth; ++k) {
      SINTER_UNROLL
      for (int j = 0; j < Columns; ++j) sum[j] = fn::fma(a(k), b(k, j), sum[j]);
    }
#else
    if constexpr (P == CudaProducts::tf32x3) {
      const auto nearest = [](float x) SINTER_LAMBDA { return rounded(x); };
      const auto rest = [](float x) SINTER_LAMBDA { return rounded(x - rounded(x)); };
      add_row(sum, a, b, rest, nearest);
      add_row(sum, a, b, nearest, rest);
      add_row(sum, a, b, nearest, nearest);
    } else {
      const auto as_kept = [](float x) SINTER_LAMBDA { return x; };
      add_row(sum, a, b, as_kept, as_kept);
    }
#endif
  }

 private:
  SINTER_FN static void split(const float (&x)[2][numbers], float (&nearest)[2][numbers], float (&rest)[2][numbers]) {
    SINTER_UNROLL
    for (int i = 0; i < 2; ++i) {
      SINTER_UNROLL
      for (int e = 0; e < numbers; ++e) {
        nearest[i][e] = rounded(x[i][e]);
        rest[i][e] = rounded(x[i][e] - nearest[i][e]);
      }
    }
  }
  template <int Columns, class A, class B, class OfA, class OfB>
  SINTER_FN static void add_row(float (&sum)[Columns], A&& a, B&& b, OfA&& of_a, OfB&& of_b) {
    double exact[Columns];
    for (int j = 0; j < Columns; ++j) exact[j] = static_cast<double>(sum[j]);
    for (int k = 0; k < depth; ++k) {
      const double left = static_cast<double>(of_a(a(k)));
      for (int j = 0; j < Columns; ++j) exact[j] += left * static_cast<double>(of_b(b(k, j)));
    }
    for (int j = 0; j < Columns; ++j) sum[j] = static_cast<float>(exact[j]);
  }

  template <class Sums>
  SINTER_FN static void add([[maybe_unused]] const float (&a)[2][numbers],
                            [[maybe_unused]] const float (&b)[2][numbers], [[maybe_unused]] Sums&& sum) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    SINTER_UNROLL
    for (int t = 0; t < 2; ++t) {
      float c[4] = {sum(0, t), sum(0, 2 + t), sum(1, t), sum(1, 2 + t)};
      if constexpr (P == CudaProducts::bf16)
        asm volatile(
            "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, "
            "%1, %2, %3};"
            : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
            : "r"(pair(a[0][0], a[0][1])), "r"(pair(a[1][0], a[1][1])), "r"(pair(a[0][2], a[0][3])),
              "r"(pair(a[1][2], a[1][3])), "r"(pair(b[t][0], b[t][1])), "r"(pair(b[t][2], b[t][3])));
      else
        asm volatile(
            "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, "
            "%1, %2, %3};"
            : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
            : "r"(__float_as_uint(a[0][0])), "r"(__float_as_uint(a[1][0])), "r"(__float_as_uint(a[0][1])),
              "r"(__float_as_uint(a[1][1])), "r"(__float_as_uint(b[t][0])), "r"(__float_as_uint(b[t][1])));
      sum(0, t) = c[0];
      sum(0, 2 + t) = c[1];
      sum(1, t) = c[2];
      sum(1, 2 + t) = c[3];
    }
#endif
  }
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  /// Two numbers rounded to bf16, the first in the lower half.
  SINTER_FN static std::uint32_t pair(float low, float high) {
    std::uint32_t bits;
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(bits) : "f"(high), "f"(low));
    return bits;
  }
#endif
};

}  // namespace gpu_kernels

SINTER_NAMESPACE_END
