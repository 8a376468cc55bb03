// SPDX-License-Identifier: MIT
// labels: threads
#include "sinter/serve/latency_histogram.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <thread>
#include <vector>

#include "support/error_of.hpp"

using namespace sinter::internal;
using std::chrono::nanoseconds;

TEST_CASE("quantiles of a histogram are at most 1/16 above those of the sorted durations, and never below") {
  std::mt19937 random(1);
  std::lognormal_distribution<double> draw(9, 3);
  LatencyHistogram histogram;
  std::vector<std::int64_t> all;
  std::int64_t sum = 0;
  for (int i = 0; i < 20000; ++i) {
    all.push_back(static_cast<std::int64_t>(draw(random)));
    sum += all.back();
    histogram.record(nanoseconds(all.back()));
  }
  std::sort(all.begin(), all.end());
  CHECK(histogram.count() == all.size());
  CHECK(histogram.sum().count() == sum);
  for (const double share : {0.0, 0.001, 0.5, 0.9, 0.99, 0.999, 1.0}) {
    const double exact = static_cast<double>(
        all[static_cast<std::size_t>(std::max(1.0, std::ceil(share * static_cast<double>(all.size())))) - 1]);
    const auto given = static_cast<double>(histogram.quantile(share).count());
    CHECK(given >= exact);
    CHECK(given <= exact * (1 + 1.0 / 16));
  }
  const LatencyHistogram copy = histogram;
  CHECK(copy.quantile(0.5) == histogram.quantile(0.5));
  CHECK(copy.sum() == histogram.sum());
}

TEST_CASE("each duration is in a bucket that it fits") {
  for (std::int64_t ticks = 0; ticks < 100000; ticks = ticks < 300 ? ticks + 1 : ticks + 97) {
    LatencyHistogram one;
    one.record(nanoseconds(ticks));
    const auto last = one.quantile(1).count();
    CHECK(last >= ticks);
    CHECK(last <= ticks + ticks / 16);
    CHECK(one.count_up_to(nanoseconds(last)) == 1);
    CHECK(one.count_up_to(nanoseconds(last - 1)) == 0);
  }
}

TEST_CASE("durations that a clock should not give are taken") {
  LatencyHistogram histogram;
  CHECK(histogram.quantile(0.99) == nanoseconds(0));
  histogram.record(nanoseconds(-5));
  CHECK(histogram.quantile(1) == nanoseconds(0));
  histogram.record(nanoseconds::max());
  CHECK(histogram.quantile(1) > std::chrono::minutes(18));
  CHECK(histogram.count() == 2);
}

TEST_CASE("a quantile that is no fraction is refused") {
  const LatencyHistogram histogram;
  CHECK(error_of([&] { histogram.quantile(99); }) ==
        "the quantile 99.000000 of a histogram was asked for; give a fraction from 0 to 1");
  CHECK(has(error_of([&] { histogram.quantile(std::nan("")); }), "a fraction from 0 to 1"));
}

TEST_CASE("many threads record at once") {
  LatencyHistogram histogram;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < 1000; ++i) histogram.record(nanoseconds(t * 1000 + i));
    });
  for (auto& thread : threads) thread.join();
  CHECK(histogram.count() == 4000);
}
