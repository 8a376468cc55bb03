// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "sinter/core/isa.hpp"
#include "sinter/core/pack.hpp"
#include "sinter/core/pack_multiply.hpp"
#include "sinter/core/random.hpp"
#include "sinter/core/unroll.hpp"

SINTER_NAMESPACE_BEGIN

/// A random order of [0, n) for each (seed, epoch), without memory: `order(i)` is the i-th.
///
/// A Feistel network on pairs (high, low) of [0, height) x [0, width), the rectangle of at least n places that is
/// closest to a square: rounds add a hash of one half to the other, modulo its size. A result of n or more is permuted
/// again until it falls below n, which is rare: there are at most sqrt(n) + 1 such places. The hash is a random linear
/// function of 64 bits (128 bits of Philox for each round), folded and multiplied. Six rounds; small n, with fewer
/// possible orders, take 24.
class Permutation {
 public:
  SINTER_FN Permutation(std::uint64_t n, std::uint64_t seed, std::uint64_t epoch) : n_(n) {
    std::uint64_t root = 0;  // the largest with root^2 < n
    for (std::uint64_t bit = 0x80000000u; bit != 0; bit >>= 1)
      if ((root | bit) * (root | bit) < n) root |= bit;
    width_ = root + 1;
    height_ = n == 0 ? 1 : (n - 1) / width_ + 1;
    rounds_ = n < 4096 ? most_rounds : 6;
    for (std::uint32_t r = 0; r < rounds_; ++r) {
      const Words<std::uint32_t> random =
          philox(Words<std::uint32_t>{{r, static_cast<std::uint32_t>(epoch), static_cast<std::uint32_t>(epoch >> 32),
                                       0x5aff1e}},
                 seed);
      factor_[r] = std::uint64_t{random.word[0]} << 32 | random.word[1];
      offset_[r] = std::uint64_t{random.word[2]} << 32 | random.word[3];
    }
  }

  SINTER_FN std::uint64_t size() const { return n_; }

  /// The place of i < n: a bijection of [0, n).
  SINTER_FN std::uint64_t operator()(std::uint64_t i) const {
    do i = encipher(i);
    while (i >= n_);
    return i;
  }

  /// The places of [0, n) in their order, many side by side: a round waits for the one before it, but not for other
  /// numbers (docs/decisions/core.md).
  template <class Number>
  SINTER_INLINE void write(Number* to) const {
    if (width_ <= std::uint64_t{1} << 16)
      write_packs(to);
    else
      for (std::uint64_t i = 0; i < n_; ++i) to[i] = static_cast<Number>((*this)(i));
  }

 private:
  static constexpr std::uint32_t most_rounds = 24;

  /// Halves of less than 2^32, in the lanes of packs of 64 bits, so that each multiplication is one of 32 bits.
  template <class Number>
  SINTER_INLINE void write_packs(Number* to) const {
    constexpr int L = isa::Native::wide_bytes / 8 > 1 ? isa::Native::wide_bytes / 8 : 1, packs = 4;
    using Half = Pack<std::uint64_t, L>;
    const Half width(width_), height(height_);
    std::uint64_t next_high = 0, next_low = 0;
    for (std::uint64_t first = 0; first < n_; first += packs * L) {
      Half high[packs], low[packs];
      for (int k = 0; k < packs * L; ++k) {
        high[k / L].set(k % L, next_high);
        low[k / L].set(k % L, next_low);
        if (++next_low == width_) next_low = 0, ++next_high;
      }
      for (std::uint32_t r = 0; r < rounds_; r += 2) {
        unroll<packs>([&](int k) SINTER_LAMBDA { low[k] = add(low[k], high[k], r, width); });
        unroll<packs>([&](int k) SINTER_LAMBDA { high[k] = add(high[k], low[k], r + 1, height); });
      }
      for (int k = 0; k < packs * L && first + static_cast<std::uint64_t>(k) < n_; ++k) {
        const std::uint64_t i = high[k / L][k % L] * width_ + low[k / L][k % L];
        *to++ = static_cast<Number>(i < n_ ? i : (*this)(i));
      }
    }
  }
  template <int L>
  SINTER_INLINE Pack<std::uint64_t, L> add(Pack<std::uint64_t, L> to, Pack<std::uint64_t, L> from, std::uint32_t round,
                                           Pack<std::uint64_t, L> size) const {
    using Half = Pack<std::uint64_t, L>;
    const auto multiply = [](Half a, Half b) SINTER_LAMBDA {  // of 32 bits
      using Words = Pack<std::uint32_t, 2 * L>;
      return multiply_even(fn::bit_cast<Words>(a), fn::bit_cast<Words>(b));
    };
    const Half product = multiply(from, Half(factor_[round])) + (multiply(from, Half(factor_[round] >> 32)) << 32) +
                         Half(offset_[round]);
    const Half hash = multiply(product ^ (product >> 32), Half(0x6659fd93u));
    const Half sum = to + (multiply(hash, size) >> 32) - size;
    return sum + (size & (Half(0) - (sum >> 63)));
  }
  SINTER_FN std::uint64_t encipher(std::uint64_t i) const {
    std::uint64_t high = i / width_, low = i % width_;
    for (std::uint32_t r = 0; r < rounds_; r += 2) {
      low = add(low, high, r, width_);
      high = add(high, low, r + 1, height_);
    }
    return high * width_ + low;
  }
  /// (to + hash of from) modulo size.
  SINTER_FN std::uint64_t add(std::uint64_t to, std::uint64_t from, std::uint32_t round, std::uint64_t size) const {
    const std::uint64_t product = factor_[round] * from + offset_[round];
    const std::uint32_t hash = static_cast<std::uint32_t>(product ^ product >> 32) * 0x6659fd93u;
    to += hash * size >> 32;
    return to >= size ? to - size : to;
  }

  std::uint64_t n_, width_, height_;
  std::uint32_t rounds_;
  std::uint64_t factor_[most_rounds], offset_[most_rounds];
};

SINTER_NAMESPACE_END
