// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "sinter/core/pack.hpp"

SINTER_NAMESPACE_BEGIN

/// The 64-bit products of the even lanes: few instructions, which compilers do not find by themselves.
template <int L>
  requires(L % 2 == 0)
SINTER_FN Pack<std::uint64_t, L / 2> multiply_even(Pack<std::uint32_t, L> a, Pack<std::uint32_t, L> b) {
  using Wide = Pack<std::uint64_t, L / 2>;
#if SINTER_VECTORS && defined(__SSE2__) && !defined(__clang__)
  using Signed = Pack<std::int32_t, L>;
  if constexpr (L == 4)
    return Wide((typename Wide::Vector)__builtin_ia32_pmuludq128(fn::bit_cast<Signed>(a).v, fn::bit_cast<Signed>(b).v));
#if defined(__AVX2__)
  if constexpr (L == 8)
    return Wide((typename Wide::Vector)__builtin_ia32_pmuludq256(fn::bit_cast<Signed>(a).v, fn::bit_cast<Signed>(b).v));
#endif
#if defined(__AVX512F__) && !defined(__CUDACC__)
  if constexpr (L == 16)
    return Wide((typename Wide::Vector)__builtin_ia32_pmuludq512_mask(
        fn::bit_cast<Signed>(a).v, fn::bit_cast<Signed>(b).v, typename Pack<long long, 8>::Vector{},
        static_cast<unsigned char>(0xff)));
#endif
  if constexpr (L > 4) {
    struct Halves {
      Pack<std::uint32_t, L / 2> low, high;
    };
    struct Products {
      Pack<std::uint64_t, L / 4> low, high;
    };
    const Halves x = fn::bit_cast<Halves>(a), y = fn::bit_cast<Halves>(b);
    return fn::bit_cast<Wide>(Products{multiply_even(x.low, y.low), multiply_even(x.high, y.high)});
  }
#endif
#if SINTER_VECTORS && defined(__aarch64__) && !defined(__CUDACC__)
  if constexpr (L == 4) {
    using Half = Pack<std::uint32_t, 2>;
    const Half x(__builtin_shufflevector(a.v, a.v, 0, 2)), y(__builtin_shufflevector(b.v, b.v, 0, 2));
#if !defined(__clang__) && __has_builtin(__builtin_aarch64_intrinsic_vec_umult_lo_v2si_uuu)
    return Wide((typename Wide::Vector)__builtin_aarch64_intrinsic_vec_umult_lo_v2si_uuu(x.v, y.v));
#else
    return fn::convert<Wide>(x) * fn::convert<Wide>(y);
#endif
  }
#endif
  const Wide low(0xffffffffu);
  return (fn::bit_cast<Wide>(a) & low) * (fn::bit_cast<Wide>(b) & low);
}

/// high * 2^32 + low = a b, lane by lane.
template <int L>
SINTER_FN void multiply_wide(Pack<std::uint32_t, L> a, std::uint32_t b, Pack<std::uint32_t, L>& high,
                             Pack<std::uint32_t, L>& low) {
  using Narrow = Pack<std::uint32_t, L>;
  if constexpr (L % 2 == 0) {
    using Wide = Pack<std::uint64_t, L / 2>;
    const Wide even = multiply_even(a, Narrow(b));
    const Wide odd = multiply_even(fn::bit_cast<Narrow>(fn::bit_cast<Wide>(a) >> 32), Narrow(b));
    const Wide lower(0xffffffffu), upper(0xffffffff00000000u);
    high = fn::bit_cast<Narrow>((even >> 32) | (odd & upper));
    low = fn::bit_cast<Narrow>((even & lower) | (odd << 32));
  } else {
    for (int i = 0; i < L; ++i) {
      const std::uint64_t wide = std::uint64_t{a[i]} * b;
      high.set(i, static_cast<std::uint32_t>(wide >> 32));
      low.set(i, static_cast<std::uint32_t>(wide));
    }
  }
}
SINTER_FN void multiply_wide(std::uint32_t a, std::uint32_t b, std::uint32_t& high, std::uint32_t& low) {
  const std::uint64_t wide = std::uint64_t{a} * b;
  high = static_cast<std::uint32_t>(wide >> 32);
  low = static_cast<std::uint32_t>(wide);
}

SINTER_NAMESPACE_END
