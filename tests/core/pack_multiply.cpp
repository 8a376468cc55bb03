// SPDX-License-Identifier: MIT
// labels: processor optimised
#include "sinter/core/pack_multiply.hpp"

#include <doctest/doctest.h>

#include "support/close.hpp"

TEST_CASE("multiply_wide gives both halves of each lane's product") {
  const std::uint32_t values[] = {0, 1, 2, 0xffff, 0x10000, 0x7fffffff, 0x80000000, 0xffffffff, 0xd2511f53, 0x12345678};
  for (const std::uint32_t b : values) {
    closeness::for_each_lane_count<std::uint32_t>([&]<int L>() {
      for (std::uint32_t first = 0; first < 10; ++first) {
        sinter::internal::Pack<std::uint32_t, L> a, high, low;
        for (std::uint32_t i = 0; i < L; ++i) a.set(static_cast<int>(i), values[(first + i) % 10]);
        sinter::internal::multiply_wide(a, b, high, low);
        for (int i = 0; i < L; ++i) {
          const std::uint64_t want = std::uint64_t{a[i]} * b;
          CHECK(high[i] == want >> 32);
          CHECK(low[i] == (want & 0xffffffff));
        }
      }
    });
  }
}
