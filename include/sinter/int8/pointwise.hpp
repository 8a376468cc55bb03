// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "sinter/int8/fixed_point.hpp"
#include "sinter/int8/plan.hpp"
#include "sinter/int8/weights.hpp"
#include "sinter/ops/pool.hpp"

SINTER_NAMESPACE_BEGIN

namespace int8 {

constexpr std::uint8_t limited(std::int64_t q, const Rescale& rescale) {
  q += rescale.zero;
  return static_cast<std::uint8_t>(q < rescale.low ? rescale.low : q > rescale.high ? rescale.high : q);
}

/// y = a + b, in 32 bits.
inline void add(const std::uint8_t* a, std::int32_t zero_a, const std::uint8_t* b, std::int32_t zero_b, std::size_t n,
                const OpNumbers& by, std::uint8_t* y) {
  const std::int32_t start = (1 << (by.rescale.shift - 1)) - zero_a * by.first - zero_b * by.second;
  const std::int32_t shift = by.rescale.shift, zero = by.rescale.zero, low = by.rescale.low, high = by.rescale.high;
  for (std::size_t i = 0; i < n; ++i) {
    const std::int32_t q = ((a[i] * by.first + b[i] * by.second + start) >> shift) + zero;
    y[i] = static_cast<std::uint8_t>(q < low ? low : q > high ? high : q);
  }
}
/// y = a b.
inline void multiply(const std::uint8_t* a, std::int32_t zero_a, const std::uint8_t* b, std::int32_t zero_b,
                     std::size_t n, const OpNumbers& by, std::uint8_t* y) {
  for (std::size_t i = 0; i < n; ++i)
    y[i] = limited(shifted(std::int64_t{(a[i] - zero_a) * (b[i] - zero_b)} * by.first, by.rescale.shift), by.rescale);
}
inline void look_up(const std::uint8_t* table, const std::uint8_t* x, std::size_t n, std::uint8_t* y) {
  for (std::size_t i = 0; i < n; ++i) y[i] = table[x[i]];
}
/// Numbers in one order from another one.
inline void reorder(const Order& from_order, const std::uint8_t* from, const Order& to_order, std::uint8_t* to) {
  for (int i = 0; i < to_order.size; ++i) to[to_order.place_of(i)] = from[from_order.place_of(i)];
}

/// Some bytes in a register. Those after the channels of a pixel spill over the next one.
struct Bytes {
#if defined(__ARM_ARCH_PROFILE) && __ARM_ARCH_PROFILE == 'M' && !defined(__ARM_FEATURE_MVE)
  static constexpr int count = 4;  // it has no larger ones
#else
  static constexpr int count = 16;
#endif
  typedef std::uint8_t Vector [[gnu::vector_size(count)]];
  Vector all{};

  SINTER_INLINE void take_largest(const std::uint8_t* from) {
    Vector other;
    std::memcpy(&other, from, sizeof other);
    all = all > other ? all : other;
  }
  SINTER_INLINE void store(std::uint8_t* to) const { std::memcpy(to, &all, sizeof all); }
};

/// visit(pixel) for each that the window of an output covers.
template <class Visit>
SINTER_INLINE CoveredPixels each_pixel(const Op& op, int y, int x, const Visit& visit) {
  const CoveredPixels covered(op, y, x);
  covered.each([&](int row, int column, int) SINTER_LAMBDA { visit(row * op.in.width + column); });
  return covered;
}

/// The largest number under each window.   x [height][width][channels]
inline void max_pool(const Op& op, const std::uint8_t* x, std::uint8_t* y) {
  const int channels = op.in.channels;
  for (int o = 0; o < op.out.pixels(); ++o)
    for (int c = 0; c < channels; c += Bytes::count) {
      Bytes largest{};
      each_pixel(op, o / op.out.width, o % op.out.width,
                 [&](int pixel) SINTER_LAMBDA { largest.take_largest(x + pixel * channels + c); });
      largest.store(y + o * channels + c);
    }
}
/// The mean of each window: first (sum - n zero) / (n 2^shift), rounded to the nearest integer, halves upwards.
inline void average_pool(const Op& op, const std::uint8_t* x, std::int32_t zero, const OpNumbers& by, std::uint8_t* y) {
  constexpr int chunk = 64;
  const int channels = op.in.channels;
  for (int o = 0; o < op.out.pixels(); ++o)
    for (int first = 0; first < channels; first += chunk) {
      std::int32_t sums[chunk]{};
      const int some = std::min(chunk, channels - first);
      const CoveredPixels covered = each_pixel(op, o / op.out.width, o % op.out.width, [&](int pixel) SINTER_LAMBDA {
        const std::uint8_t* const from = x + pixel * channels + first;
        for (int c = 0; c < some; ++c) sums[c] += from[c];
      });
      const std::int64_t divisor = 2 * (std::int64_t{covered.divisor} << by.rescale.shift);
      for (int c = 0; c < some; ++c) {
        const std::int64_t twice = 2 * (sums[c] - std::int64_t{covered.count()} * zero) * by.first + divisor / 2;
        const std::int64_t q = twice / divisor - (twice % divisor < 0);
        y[o * channels + first + c] = limited(q, by.rescale);
      }
    }
}

}  // namespace int8

SINTER_NAMESPACE_END
