// SPDX-License-Identifier: MIT
#include "sinter/plan/lifetimes.hpp"

#include <doctest/doctest.h>

using namespace sinter::internal;

namespace {

/// Whether no two that are needed at the same moment overlap, and all are within `size` at multiples of `alignment`.
template <int N>
constexpr bool sound(const Lifetime (&all)[N], int size, int alignment) {
  for (int i = 0; i < N; ++i) {
    if (all[i].offset % alignment != 0 || all[i].offset < 0 || all[i].offset + all[i].size > size) return false;
    for (int k = 0; k < i; ++k)
      if (all[i].overlaps(all[k]) && all[i].offset < all[k].offset + all[k].size &&
          all[k].offset < all[i].offset + all[i].size)
        return false;
  }
  return true;
}

/// A chain of outputs, each needed until the next one is there: two places are enough.
constexpr int chain() {
  Lifetime all[6]{};
  for (int i = 0; i < 6; ++i) all[i] = {10 * (i + 1), i, i + 1, 0};
  const int size = place_by_lifetime(all, 6, 1);
  return sound(all, size, 1) ? size : -1;
}
static_assert(chain() == 60 + 50);

}  // namespace

TEST_CASE("values needed at the same time do not overlap, at random") {
  unsigned random = 7;
  const auto draw = [&](unsigned below) {
    random = random * 1664525u + 1013904223u;
    return static_cast<int>((random >> 8) % below);
  };
  for (int round = 0; round < 500; ++round) {
    Lifetime all[24]{};
    int sum = 0, most_at_once = 0;
    for (auto& one : all) {
      one.size = draw(40);
      one.first_use = draw(20);
      one.last_use = one.first_use + draw(8);
      sum += round_up(one.size, 4);
    }
    const int size = place_by_lifetime(all, 24, 4);
    CHECK(sound(all, size, 4));
    for (int moment = 0; moment < 28; ++moment) {
      int now = 0;
      for (const auto& one : all)
        if (one.first_use <= moment && moment <= one.last_use) now += one.size;
      most_at_once = now > most_at_once ? now : most_at_once;
    }
    CHECK(size >= most_at_once);
    CHECK(size <= sum);
  }
}
