// SPDX-License-Identifier: MIT
// labels: avx512 optimised
// What has instructions of its own for packs of 64 bytes, and for narrower ones, against loops over numbers. Compiled with
// AVX-512 and SINTER_VECTOR_BYTES=64.
#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>
#include <vector>

#include "sinter/core/bytes.hpp"
#include "sinter/core/compress.hpp"
#include "sinter/core/pack_multiply.hpp"
#include "sinter/core/pack_sqrt.hpp"
#include "support/close.hpp"

using namespace sinter::internal;

static_assert(std::is_same_v<isa::Native, isa::Avx512Wide>);

TEST_CASE("compress keeps what is not zero, in order, for every choice of lanes") {
  closeness::for_each_lane_count<float>([]<int L>() {
    constexpr std::size_t lanes = L;
    constexpr float nan = std::numeric_limits<float>::quiet_NaN(), tiny = std::numeric_limits<float>::denorm_min();
    int wrong = 0;
    for (int mask = 0; mask < 1 << L; ++mask) {
      float values[lanes], to_values[lanes + 2], want_values[lanes + 1];
      std::int32_t offsets[lanes], to_offsets[lanes + 2], want_offsets[lanes + 1];
      int want = 0;
      for (int i = 0; i < L; ++i) {
        const float some[] = {1.5f + static_cast<float>(i), -2, closeness::exact ? nan : 3,
                              closeness::exact ? -tiny : 4};
        values[i] = mask >> i & 1 ? some[i % 4] : i % 2 ? -0.0f : 0.0f;
        offsets[i] = 1000 - 7 * i;
        want_values[want] = values[i];
        want_offsets[want] = offsets[i];
        want += mask >> i & 1;
      }
      to_values[0] = to_values[L + 1] = 99;
      to_offsets[0] = to_offsets[L + 1] = 99;
      const int count = compress_non_zeros(Pack<float, L>::load(values), Pack<std::int32_t, L>::load(offsets),
                                           to_values + 1, to_offsets + 1);
      const auto size = static_cast<std::size_t>(want) * 4;
      wrong += count != want || std::memcmp(to_values + 1, want_values, size) != 0 ||
               std::memcmp(to_offsets + 1, want_offsets, size) != 0 || to_values[0] != 99 || to_offsets[0] != 99 ||
               to_values[L + 1] != 99 || to_offsets[L + 1] != 99;
    }
    CHECK(wrong == 0);
  });
}

TEST_CASE("bytes become numbers, and numbers bytes, lane by lane") {
  closeness::for_each_lane_count<float>([]<int L>() {
    constexpr std::size_t lanes = L;
    for (int first = 0; first < 256; ++first) {
      std::uint8_t bytes[lanes], back[lanes + 2];
      for (int i = 0; i < L; ++i) bytes[i] = static_cast<std::uint8_t>(first + 37 * i);
      const auto whole = widen_bytes<Pack<float, L>>(bytes);
      const auto numbers = load_bytes<Pack<float, L>>(bytes);
      back[0] = back[L + 1] = 99;
      store_bytes(numbers, back + 1);
      for (int i = 0; i < L; ++i) {
        CHECK(whole[i] == bytes[i]);
        CHECK(numbers[i] == static_cast<float>(bytes[i]));
        CHECK(back[i + 1] == bytes[i]);
      }
      CHECK((back[0] == 99 && back[L + 1] == 99));
    }
  });
}

TEST_CASE("products of the even lanes have 64 bits") {
  const std::uint32_t values[] = {0, 1, 0xffff, 0x10000, 0x7fffffff, 0x80000000, 0xffffffff, 0xd2511f53, 0x12345678};
  closeness::for_each_lane_count<std::uint32_t>([&]<int L>() {
    if constexpr (L > 1)
      for (std::uint32_t first = 0; first < 9; ++first)
        for (std::uint32_t step = 0; step < 9; ++step) {
          Pack<std::uint32_t, L> a, b;
          for (std::uint32_t i = 0; i < L; ++i) {
            a.set(static_cast<int>(i), values[(first + i) % 9]);
            b.set(static_cast<int>(i), values[(first + step + 2 * i) % 9]);
          }
          const auto products = multiply_even(a, b);
          for (int i = 0; i < L / 2; ++i) CHECK(products[i] == std::uint64_t{a[2 * i]} * b[2 * i]);
        }
  });
}

TEST_CASE_TEMPLATE("square roots, sums of products and larger numbers are those of each lane", T, float, double) {
  const std::vector<T> x = closeness::numbers<T>(64, 0, 100), y = closeness::numbers<T>(64, -3, 3, 2);
  closeness::for_each_lane_count<T>([&]<int L>() {
    using P = Pack<T, L>;
    for (std::size_t first = 0; first < 64; first += L) {
      const P a = P::load(&x[first]), b = P::load(&y[first]);
      const P root = fn::sqrt(a), sum = fn::fma(a, b, b), larger = fn::max(a, b), smaller = fn::min(a, b);
      for (std::size_t i = first; i < first + L; ++i) {
        const int lane = static_cast<int>(i - first);
        CHECK(closeness::same(root[lane], std::sqrt(x[i])));
        CHECK(closeness::same(sum[lane], std::fma(x[i], y[i], y[i])));
        CHECK(larger[lane] == (x[i] > y[i] ? x[i] : y[i]));
        CHECK(smaller[lane] == (x[i] < y[i] ? x[i] : y[i]));
      }
    }
  });
}
