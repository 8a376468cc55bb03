// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <map>

#include "sinter/core/clock.hpp"
#include "sinter/core/pack.hpp"
#include "sinter/core/unroll.hpp"
#include "sinter/device/thread_pool.hpp"

namespace bench {

/// What a processor's multiply-add units give at most: chains of fma that do not wait for each other, in registers.
/// Returns the flops done in about `rounds` x 32 steps of each chain.
template <int Lanes>
double multiply_add(long rounds) {
  using V = sinter::internal::Pack<float, Lanes>;
  constexpr int chains = 12, steps = 32;
  static volatile float source = 0.999f;
  const V a(source), b(1 - source);
  V x[chains];
  for (int i = 0; i < chains; ++i) x[i] = V(static_cast<float>(i));
  for (long round = 0; round < rounds; ++round)
    for (int step = 0; step < steps; ++step)
      sinter::internal::unroll<chains>([&](auto i) SINTER_LAMBDA { x[i] = sinter::fn::fma(x[i], a, b); });
  V total(0);
  for (int i = 0; i < chains; ++i) total += x[i];
  [[maybe_unused]] static volatile float sink;
  sink = sinter::fn::sum(total);
  return 2.0 * Lanes * chains * steps * static_cast<double>(rounds);
}

/// GFLOP/s of a number of threads together, the best of several runs of 50 ms.
template <int Lanes>
double measure_peak(int threads) {
  const sinter::internal::detail::ThreadPool pool(threads);
  long rounds = 1000;
  double best = 0;
  for (int run = 0; run < 6; ++run) {
    double flops = 0;
    const double begin = sinter::monotonic_seconds();
    pool.run(threads, [&](int, int worker) {
      const double done = multiply_add<Lanes>(rounds);
      if (worker == 0) flops = done * threads;
    });
    const double seconds = sinter::monotonic_seconds() - begin;
    best = std::max(best, flops / seconds * 1e-9);
    rounds = std::max(1000L, static_cast<long>(static_cast<double>(rounds) * 0.05 / seconds));
  }
  return best;
}

/// The same with vectors of 8 floats or the widest there are, whichever is faster. Measured once in a program.
inline double peak(int threads) {
  static std::map<int, double> measured;
  double& value = measured[threads];
  constexpr int widest = sinter::isa::Native::wide_bytes / 4, narrower = std::min(8, widest);
  if (value == 0) value = std::max(measure_peak<narrower>(threads), measure_peak<widest>(threads));
  return value;
}

}  // namespace bench
