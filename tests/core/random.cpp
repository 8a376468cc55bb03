// SPDX-License-Identifier: MIT
// labels: processor optimised
#include "sinter/core/random.hpp"

#include <doctest/doctest.h>

#include "support/close.hpp"

namespace {

using Scalars = sinter::internal::Words<std::uint32_t>;

void check_words(const Scalars& got, std::vector<std::uint32_t> want) {
  CHECK(std::vector<std::uint32_t>(got.word, got.word + 4) == want);
}

template <class T>
std::vector<T> masks_of(std::uint64_t seed, std::uint32_t sample, std::uint32_t step, std::uint32_t layer, int elements,
                        double p) {
  std::vector<T> masks(static_cast<std::size_t>(elements), T(-1));
  sinter::internal::keep_masks(seed, sample, step, layer, elements, p, masks.data());
  return masks;
}

}  // namespace

TEST_CASE("philox gives the published numbers") {
  const std::uint32_t ones = 0xffffffff;
  check_words(sinter::internal::philox(Scalars{{0, 0, 0, 0}}, 0, 0), {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8});
  check_words(sinter::internal::philox(Scalars{{ones, ones, ones, ones}}, ones, ones),
              {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd});
  check_words(
      sinter::internal::philox(Scalars{{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}}, 0xa4093822, 0x299f31d0),
      {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1});
  check_words(sinter::internal::philox(Scalars{{1, 2, 3, 4}}, 0x299f31d0a4093822u), [] {
    const Scalars w = sinter::internal::philox(Scalars{{1, 2, 3, 4}}, 0xa4093822, 0x299f31d0);
    return std::vector<std::uint32_t>(w.word, w.word + 4);
  }());
}

TEST_CASE("a lane of philox is philox of the lane") {
  closeness::for_each_lane_count<std::uint32_t>([]<int L>() {
    using Word = sinter::internal::Pack<std::uint32_t, L>;
    Word counter;
    for (int i = 0; i < L; ++i) counter.set(i, 0xdeadbeefu * static_cast<std::uint32_t>(i + 1));
    const auto packs = sinter::internal::philox(
        sinter::internal::Words<Word>{{counter, Word(7), counter ^ Word(~0u), Word(9)}}, 12, ~0u);
    for (int i = 0; i < L; ++i) {
      const auto one = sinter::internal::philox(Scalars{{counter[i], 7, ~counter[i], 9}}, 12, ~0u);
      for (int w = 0; w < 4; ++w) CHECK(packs.word[w][i] == one.word[w]);
    }
  });
}

TEST_CASE("uniform takes the upper 24 bits") {
  CHECK(sinter::internal::uniform<float>(0u) == 0);
  CHECK(sinter::internal::uniform<float>(0xffu) == 0);
  CHECK(sinter::internal::uniform<double>(0x80000000u) == 0.5);
  CHECK(sinter::internal::uniform<float>(0xffffffffu) == 1 - 0x1p-24f);
  CHECK(sinter::internal::uniform<double>(0x12345678u) == sinter::internal::uniform<float>(0x12345678u));
}

TEST_CASE("keep_masks follows the convention, bit for bit") {
  const std::uint64_t seed = 0x123456789abcdef0u;
  const double p = 0.3;
  const auto masks = masks_of<double>(seed, 77, 5, 2, 61, p);
  for (std::uint32_t e = 0; e < 61; ++e) {
    const auto random = sinter::internal::philox(Scalars{{77, 5, 2, e / 8}}, 0x9abcdef0, 0x12345678);
    const std::uint32_t bits = random.word[e % 8 / 2] >> (e % 2 * 16) & 0xffff;
    CHECK(masks[e] == (bits >= 19661 ? 1 / (1 - p) : 0.0));
  }
}

TEST_CASE("keep_masks at the ends, and how many it keeps") {
  for (const double m : masks_of<double>(1, 2, 3, 4, 1000, 0)) CHECK(m == 1);
  for (const float m : masks_of<float>(1, 2, 3, 4, 1000, 1)) CHECK(m == 0);
  for (const double p : {0.1, 0.5, 0.9}) {
    int kept = 0;
    for (const float m : masks_of<float>(1, 2, 3, 4, 100000, p)) kept += m != 0 ? 1 : 0;
    CHECK(kept / 1e5 == doctest::Approx(1 - p).epsilon(0.02));
  }
  const auto dropped = [](double p) {
    const auto masks = masks_of<float>(1, 2, 3, 4, 1000000, p);
    return std::count(masks.begin(), masks.end(), 0.0f);
  };
  CHECK(dropped(0.4 / 65536) == 0);  // p is rounded to a multiple of 1 / 65536
  CHECK(dropped(0.6 / 65536) > 0);
  CHECK(masks_of<float>(1, 2, 3, 4, 64, 0.5) != masks_of<float>(2, 2, 3, 4, 64, 0.5));
  CHECK(masks_of<float>(1, 2, 3, 4, 64, 0.5) != masks_of<float>(1, 3, 3, 4, 64, 0.5));
  CHECK(masks_of<float>(1, 2, 3, 4, 64, 0.5) != masks_of<float>(1, 2, 4, 4, 64, 0.5));
  CHECK(masks_of<float>(1, 2, 3, 4, 64, 0.5) != masks_of<float>(1, 2, 3, 5, 64, 0.5));
}

TEST_CASE_TEMPLATE("masks of a lane are masks of its sample", T, float, double) {
  closeness::for_each_lane_count<T>([]<int L>() {
    sinter::internal::Pack<std::uint32_t, L> samples;
    for (int i = 0; i < L; ++i) samples.set(i, static_cast<std::uint32_t>(1000 - 37 * i));
    std::vector<sinter::internal::Pack<T, L>> packs(13);
    sinter::internal::keep_masks(9, samples, 1, 3, 13, 0.25, packs.data());
    for (int i = 0; i < L; ++i)
      CHECK(closeness::same(closeness::lane(closeness::from_packs(packs), L, i),
                            masks_of<T>(9, samples[i], 1, 3, 13, 0.25)));
  });
}
