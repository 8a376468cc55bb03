// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/core/pack.hpp"

SINTER_NAMESPACE_BEGIN

/// Writes the lanes of `values` that are not exactly zero, and the `offsets` that go with them, contiguously, and
/// returns their number. Up to a pack may be written after them. NaN is not zero.
///
/// AVX-512 compresses into a register and stores that whole: the form that writes to memory is microcode on Zen 4.
template <class T, int L>
SINTER_INLINE int compress_non_zeros(Pack<T, L> values, integer_of<Pack<T, L>> offsets, T* to_values,
                                     integer_of<T>* to_offsets) {
#if SINTER_VECTORS && defined(__AVX512VL__) && defined(__AVX512F__)
  if constexpr (std::is_same_v<T, float> && L == 8) {
    using Offsets = integer_of<Pack<T, L>>;
    const unsigned char some = static_cast<unsigned char>(
        __builtin_ia32_cmpps256_mask(values.v, typename Pack<T, L>::Vector{}, 4, static_cast<unsigned char>(-1)));
    Pack<T, L>(__builtin_ia32_compresssf256_mask(values.v, typename Pack<T, L>::Vector{}, some)).store(to_values);
    Offsets(__builtin_ia32_compresssi256_mask(offsets.v, typename Offsets::Vector{}, some)).store(to_offsets);
    return __builtin_popcount(some);
  }
  if constexpr (std::is_same_v<T, float> && L == 16) {
    using Offsets = integer_of<Pack<T, L>>;
    const unsigned short some = static_cast<unsigned short>(__builtin_ia32_cmpps512_mask(
        values.v, typename Pack<T, L>::Vector{}, 4, static_cast<unsigned short>(0xffff), 4));
    Pack<T, L>(__builtin_ia32_compresssf512_mask(values.v, typename Pack<T, L>::Vector{}, some)).store(to_values);
    Offsets(__builtin_ia32_compresssi512_mask(offsets.v, typename Offsets::Vector{}, some)).store(to_offsets);
    return __builtin_popcount(some);
  }
#endif
  int count = 0;
  for (int i = 0; i < L; ++i) {
    to_values[count] = values[i];
    to_offsets[count] = offsets[i];
    count += values[i] != T(0);
  }
  return count;
}

SINTER_NAMESPACE_END
