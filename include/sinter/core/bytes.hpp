// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "sinter/core/pack.hpp"

SINTER_NAMESPACE_BEGIN

// Bytes to numbers and back, lane by lane. g++ 12 compiles such a conversion to a dozen instructions where the machine
// has one, so builtins name it (docs/decisions/core.md); clang finds it by itself.

/// Bytes as integers of the size of V's numbers.
template <class V>
SINTER_INLINE integer_of<V> widen_bytes(const std::uint8_t* from) {
  using Integers = integer_of<V>;
#if SINTER_VECTORS && defined(__AVX2__) && !defined(__clang__)
  using Bytes [[gnu::vector_size(16)]] = char;
  if constexpr (V::lanes == 8 && sizeof(scalar_of<V>) == 4) {
    using Words [[gnu::vector_size(16)]] = long long;
    Words words{};
    __builtin_memcpy(&words, from, 8);
    return Integers(__builtin_ia32_pmovzxbd256((Bytes)words));
  }
#if defined(__AVX512F__) && !defined(__CUDACC__)
  if constexpr (V::lanes == 16 && sizeof(scalar_of<V>) == 4) {
    Bytes all;
    __builtin_memcpy(&all, from, 16);
    return Integers(
        __builtin_ia32_pmovzxbd512_mask(all, typename Integers::Vector{}, static_cast<unsigned short>(0xffff)));
  }
#endif
#endif
  Pack<std::uint8_t, V::lanes> bytes;
  __builtin_memcpy(&bytes.v, from, V::lanes);
  return fn::convert<Integers>(bytes);
}

/// Small non-negative whole numbers, written as bytes.
template <class V>
SINTER_INLINE void store_bytes(V numbers, std::uint8_t* to) {
  const auto whole = fn::convert<integer_of<V>>(numbers);
#if SINTER_VECTORS && defined(__AVX512VL__) && !defined(__clang__)
  if constexpr (V::lanes == 8 && sizeof(scalar_of<V>) == 4) {
    using Bytes [[gnu::vector_size(16)]] = char;
    const Bytes bytes = __builtin_ia32_pmovdb256_mask(whole.v, Bytes{}, static_cast<unsigned char>(-1));
    __builtin_memcpy(to, &bytes, 8);
    return;
  }
  if constexpr (V::lanes == 16 && sizeof(scalar_of<V>) == 4) {
    using Bytes [[gnu::vector_size(16)]] = char;
    const Bytes bytes = __builtin_ia32_pmovdb512_mask(whole.v, Bytes{}, static_cast<unsigned short>(0xffff));
    __builtin_memcpy(to, &bytes, 16);
    return;
  }
#endif
  const auto bytes = fn::convert<Pack<std::uint8_t, V::lanes>>(whole);
  __builtin_memcpy(to, &bytes.v, V::lanes);
}
template <class V>
SINTER_INLINE V load_bytes(const std::uint8_t* from) {
  return fn::convert<V>(widen_bytes<V>(from));
}
/// Integers of other types as numbers.
template <class V, class Integer>
SINTER_INLINE V load_integers(const Integer* from) {
  return fn::convert<V>(fn::convert<integer_of<V>>(Pack<Integer, V::lanes>::load(from)));
}

SINTER_NAMESPACE_END
