// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "sinter/core/bytes.hpp"
#include "sinter/core/half.hpp"
#include "sinter/core/pack.hpp"

SINTER_NAMESPACE_BEGIN

namespace host_kernels {

#if SINTER_VECTORS && defined(__F16C__)
// One instruction for each, which no compiler finds by itself in half_to_float. clang 22 has no builtin for it, and g++
// 12 converts a vector of _Float16 number by number.
#if defined(__clang__)
using VectorOfHalves [[gnu::vector_size(16)]] = _Float16;
SINTER_INLINE float to_float(std::uint16_t half) { return static_cast<float>(__builtin_bit_cast(_Float16, half)); }
SINTER_INLINE Pack<float, 8> to_floats(VectorOfHalves halves) {
  return Pack<float, 8>(__builtin_convertvector(halves, Pack<float, 8>::Vector));
}
#if defined(__AVX512F__) && !defined(__CUDACC__)
using VectorOf16Halves [[gnu::vector_size(32)]] = _Float16;
SINTER_INLINE Pack<float, 16> to_floats(VectorOf16Halves halves) {
  return Pack<float, 16>(__builtin_convertvector(halves, Pack<float, 16>::Vector));
}
#endif
#else
using VectorOfHalves [[gnu::vector_size(16)]] = short;
SINTER_INLINE float to_float(std::uint16_t half) {
  const VectorOfHalves one{static_cast<short>(half)};
  return __builtin_ia32_vcvtph2ps(one)[0];
}
SINTER_INLINE Pack<float, 8> to_floats(VectorOfHalves halves) {
  return Pack<float, 8>(__builtin_ia32_vcvtph2ps256(halves));
}
#if defined(__AVX512F__) && !defined(__CUDACC__)
using VectorOf16Halves [[gnu::vector_size(32)]] = short;
SINTER_INLINE Pack<float, 16> to_floats(VectorOf16Halves halves) {
  return Pack<float, 16>(
      __builtin_ia32_vcvtph2ps512_mask(halves, Pack<float, 16>::Vector{}, static_cast<unsigned short>(0xffff), 4));
}
#endif
#endif
#else
SINTER_INLINE float to_float(std::uint16_t half) { return half_to_float(half); }
#endif

/// A row of a weight that is stored as halves, or as bytes with a scale; numbers are converted as they are read.
struct HalfRow {
  const std::uint16_t* numbers;
  SINTER_INLINE float operator[](int i) const { return to_float(numbers[i]); }
};
struct ByteRow {
  const std::int8_t* numbers;
  float scale;
  SINTER_INLINE float operator[](int i) const { return fn::product(scale, static_cast<float>(numbers[i])); }
};

/// Weights whose rows are those, one row for each channel of the output.
struct HalfWeight {
  const std::uint16_t* numbers;
};
struct ByteWeight {
  const std::int8_t* numbers;
  const float* scales;
};

/// A weight in panels of 16 outputs, [out / 16][in][16]; what comes after the last output is 0.
struct PanelWeight {
  static constexpr int panel = 16;
  const float* numbers;
};

template <class T>
SINTER_INLINE const T* row_of(const T* weight, int row, int columns) {
  return weight + row * columns;
}
SINTER_INLINE HalfRow row_of(HalfWeight weight, int row, int columns) { return {weight.numbers + row * columns}; }
SINTER_INLINE ByteRow row_of(ByteWeight weight, int row, int columns) {
  return {weight.numbers + row * columns, weight.scales[row]};
}

/// Neighbouring numbers of a row.
template <class V, class T>
SINTER_INLINE V load_weights(const T* row, int at) {
  return V::load(row + at);
}
template <class V>
SINTER_INLINE V load_weights(HalfRow row, int at) {
#if SINTER_VECTORS && defined(__F16C__)
  if constexpr (V::lanes == 8) {
    VectorOfHalves eight;
    __builtin_memcpy(&eight, row.numbers + at, sizeof eight);
    return to_floats(eight);
  }
#if defined(__AVX512F__) && !defined(__CUDACC__)
  if constexpr (V::lanes == 16) {
    VectorOf16Halves all;
    __builtin_memcpy(&all, row.numbers + at, sizeof all);
    return to_floats(all);
  }
#endif
#endif
  const auto halves = Pack<std::uint16_t, V::lanes>::load(row.numbers + at);
  using Bits = integer_of<V>;
  const Bits all = fn::convert<Bits>(halves), magnitude = all & Bits(0x7fff);
  const Bits normal = (magnitude << 13) + fn::select(magnitude < Bits(0x7c00), Bits(112 << 23), Bits(224 << 23));
  const Bits tiny = fn::bit_cast<Bits>(fn::convert<V>(magnitude) * V(0x1p-24f));
  return fn::bit_cast<V>(fn::select(magnitude < Bits(0x400), tiny, normal) | (all & Bits(0x8000)) << 16);
}
template <class V>
SINTER_INLINE V load_weights(ByteRow row, int at) {
  using Whole = integer_of<V>;
  const Whole bytes = widen_bytes<V>(reinterpret_cast<const std::uint8_t*>(row.numbers + at));
  return fn::product(V(row.scale), fn::convert<V>((bytes ^ Whole(128)) - Whole(128)));
}

}  // namespace host_kernels

SINTER_NAMESPACE_END
