// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>

#include "sinter/core/error.hpp"

SINTER_NAMESPACE_BEGIN

/// Counts durations in buckets, each at most 1/16 wider than its lower end. Any thread may record; a copy is what has
/// been recorded so far. Durations above 18 minutes count as 18 minutes.
class LatencyHistogram {
 public:
  using Duration = std::chrono::nanoseconds;

  LatencyHistogram() = default;
  LatencyHistogram(const LatencyHistogram& other) : sum_(other.sum_.load(std::memory_order_relaxed)) {
    for (std::size_t i = 0; i < buckets; ++i)
      counts_[i].store(other.counts_[i].load(std::memory_order_relaxed), std::memory_order_relaxed);
  }
  LatencyHistogram& operator=(const LatencyHistogram&) = delete;

  void record(Duration duration) noexcept {
    const std::uint64_t ticks =
        std::min(static_cast<std::uint64_t>(std::max(duration.count(), Duration::rep{0})), most);
    counts_[bucket_of(ticks)].fetch_add(1, std::memory_order_relaxed);
    sum_.fetch_add(ticks, std::memory_order_relaxed);
  }

  std::uint64_t count() const { return count_up_to(Duration(static_cast<Duration::rep>(most))); }
  Duration sum() const { return Duration(static_cast<Duration::rep>(sum_.load(std::memory_order_relaxed))); }
  /// How many durations were in buckets that end at `longest` or before.
  std::uint64_t count_up_to(Duration longest) const {
    std::uint64_t count = 0;
    for (std::size_t i = 0; i < buckets && last_of(i) <= longest; ++i)
      count += counts_[i].load(std::memory_order_relaxed);
    return count;
  }
  /// The duration that this fraction of all did not exceed, never too short, at most 1/16 too long: quantile(0.99). 0
  /// if nothing was recorded.
  Duration quantile(double fraction) const {
    if (!(fraction >= 0 && fraction <= 1))
      fail("the quantile " + std::to_string(fraction) + " of a histogram was asked for; give a fraction from 0 to 1");
    const std::uint64_t all = count();
    if (all == 0) return Duration(0);
    const auto wanted =
        std::max(std::uint64_t{1}, static_cast<std::uint64_t>(std::ceil(fraction * static_cast<double>(all))));
    std::uint64_t passed = 0;
    for (std::size_t i = 0; i < buckets; ++i)
      if ((passed += counts_[i].load(std::memory_order_relaxed)) >= wanted) return last_of(i);
    return last_of(buckets - 1);
  }

 private:
  // Up to 16 ns a bucket each, then 16 to every power of two.
  static constexpr int bits = 40;
  static constexpr std::uint64_t most = (std::uint64_t{1} << bits) - 1;
  static constexpr std::size_t buckets = (bits - 3) * 16;
  static constexpr std::size_t bucket_of(std::uint64_t ticks) {
    if (ticks < 16) return static_cast<std::size_t>(ticks);
    const int exponent = static_cast<int>(std::bit_width(ticks)) - 5;
    return static_cast<std::size_t>(exponent) * 16 + static_cast<std::size_t>(ticks >> exponent);
  }
  static constexpr Duration last_of(std::size_t bucket) {
    if (bucket < 16) return Duration(static_cast<Duration::rep>(bucket));
    const std::size_t exponent = bucket / 16 - 1;
    return Duration((static_cast<Duration::rep>(bucket - exponent * 16 + 1) << exponent) - 1);
  }

  std::array<std::atomic<std::uint64_t>, buckets> counts_{};
  std::atomic<std::uint64_t> sum_{0};
};

SINTER_NAMESPACE_END

namespace sinter {
using internal::LatencyHistogram;
}  // namespace sinter
