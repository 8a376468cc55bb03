// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "sinter/core/pack.hpp"
#include "sinter/core/pack_multiply.hpp"

SINTER_NAMESPACE_BEGIN

/// Four 32-bit words, or four packs of them: a counter of philox, or what it gives.
template <class Word>
struct Words {
  Word word[4];
};

/// Philox4x32-10 (Salmon, Moraes, Dror, Shaw 2011, "Parallel random numbers: as easy as 1, 2, 3"): 128 random bits that
/// are a function of a counter and a key, so every thread and device draws the same numbers in any order.
template <class Word>
SINTER_FN Words<Word> philox(Words<Word> counter, std::uint32_t key0, std::uint32_t key1) {
  Word a = counter.word[0], b = counter.word[1], c = counter.word[2], d = counter.word[3];
  for (int round = 0; round < 10; ++round) {
    Word high_a, low_a, high_c, low_c;
    multiply_wide(a, 0xD2511F53u, high_a, low_a);
    multiply_wide(c, 0xCD9E8D57u, high_c, low_c);
    a = high_c ^ b ^ Word(key0);
    b = low_c;
    c = high_a ^ d ^ Word(key1);
    d = low_a;
    key0 += 0x9E3779B9u;
    key1 += 0xBB67AE85u;
  }
  return {{a, b, c, d}};
}
template <class Word>
SINTER_FN Words<Word> philox(Words<Word> counter, std::uint64_t seed) {
  return philox(counter, static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32));
}

/// A number in [0, 1) of the upper 24 bits of a word: exact in float and double.
template <class V>
SINTER_FN V uniform(rebind<V, std::uint32_t> word) {
  return fn::convert<V>(fn::bit_cast<rebind<V, std::int32_t>>(word >> 8)) * V(0x1p-24f);
}

/// Dropout of one layer in one step: masks[e] = 1 / (1 - p) where element e of the sample is kept, else 0, for the 8
/// elements of a group. The lanes of a pack are samples. Element e keeps if 16 bits are at least round(65536 p): half
/// e % 2 of word e % 8 / 2 of philox(counter {sample, step, layer, e / 8}, seed).
template <class V>
SINTER_FN void keep_eight(std::uint64_t seed, rebind<V, std::uint32_t> samples, std::uint32_t step, std::uint32_t layer,
                          int group, double p, V (&masks)[8]) {
  using T = scalar_of<V>;
  using Word = rebind<V, std::uint32_t>;
  const V threshold(static_cast<T>(static_cast<std::int32_t>(p * 65536 + 0.5)));
  const V kept(p < 1 ? static_cast<T>(1 / (1 - p)) : T(0));
  const Words<Word> random =
      philox(Words<Word>{{samples, Word(step), Word(layer), Word(static_cast<std::uint32_t>(group))}}, seed);
  for (int i = 0; i < 8; ++i) {
    const Word word = random.word[i / 2];
    const Word bits = i % 2 == 0 ? word & Word(0xffffu) : word >> 16;
    masks[i] = fn::select(fn::convert<V>(fn::bit_cast<rebind<V, std::int32_t>>(bits)) >= threshold, kept, V(0));
  }
}
/// The same for all elements of a layer.
template <class V>
SINTER_INLINE void keep_masks(std::uint64_t seed, rebind<V, std::uint32_t> samples, std::uint32_t step,
                              std::uint32_t layer, int elements, double p, V* masks) {
  for (int first = 0; first < elements; first += 8) {
    V eight[8];
    keep_eight<V>(seed, samples, step, layer, first / 8, p, eight);
    for (int i = 0; i < 8 && first + i < elements; ++i) masks[first + i] = eight[i];
  }
}

SINTER_NAMESPACE_END
