// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <map>

#include "sinter/core/aligned.hpp"
#include "sinter/core/clock.hpp"
#include "sinter/core/pack.hpp"
#include "sinter/core/unroll.hpp"

namespace bench {

/// The sum of an array, read in registers of the widest kind: as fast as its numbers come.
inline float sum_of(const float* numbers, std::size_t count) {
  constexpr int lanes = sinter::isa::Native::wide_bytes / 4, chains = 8;
  using V = sinter::internal::Pack<float, lanes>;
  V sums[chains];
  for (V& sum : sums) sum = V(0);
  for (std::size_t i = 0; i < count; i += chains * lanes)
    sinter::internal::unroll<chains>([&](auto k) SINTER_LAMBDA { sums[k] += V::load(numbers + i + k * lanes); });
  V total(0);
  for (const V& sum : sums) total += sum;
  return sinter::fn::sum(total);
}

/// GB/s at which one thread reads an array of about so many bytes over and over: from the cache that holds it, or from
/// memory. The best of several runs of 10 ms, measured once in a program for each size.
inline double bandwidth(double bytes) {
  static std::map<std::size_t, double> measured;
  constexpr std::size_t block = 1024;  // numbers
  std::size_t count = block;
  while (static_cast<double>(count) * sizeof(float) < bytes && count < (std::size_t{1} << 25))
    count += std::max(block, count / 4 / block * block);
  double& best = measured[count];
  if (best > 0) return best;
  const sinter::internal::AlignedArray<float> numbers(count);
  [[maybe_unused]] static volatile float sink;
  long passes = 1;
  for (int run = 0; run < 6; ++run) {
    const double begin = sinter::monotonic_seconds();
    for (long pass = 0; pass < passes; ++pass) sink = sum_of(numbers.data(), count);
    const double seconds = sinter::monotonic_seconds() - begin;
    best = std::max(best, static_cast<double>(passes) * static_cast<double>(count) * sizeof(float) / seconds * 1e-9);
    passes = std::max(1L, static_cast<long>(static_cast<double>(passes) * 0.01 / seconds));
  }
  return best;
}

}  // namespace bench
