// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>

#include "sinter/core/macros.hpp"
#include "sinter/core/pack.hpp"
#include "sinter/core/shape.hpp"
#include "sinter/core/unroll.hpp"

SINTER_NAMESPACE_BEGIN

namespace host_kernels {

/// M x N sums that are in registers together.
struct Block {
  int m = 1, n = 1;
  /// Whether there are registers for them, for the N packs that are kept and for one more of each.
  constexpr bool fits(int registers) const { return m * n + n + 2 <= registers; }
  /// Half cycles for a term: two multiply-adds a cycle, of at least 8 in flight, and two loads a cycle.
  constexpr int cost() const { return std::max({m * n, 8, m + n}); }
};

/// The block of at most M x N sums of least cost(block), of equal ones the largest, widest in m.
template <class Cost>
constexpr Block best_block(int M, int N, int registers, Cost cost) {
  Block best;
  auto least = cost(best);
  for (int m = 1; m <= M; ++m)
    for (int n = 1; n <= N && Block{m, n}.fits(registers); ++n)
      if (const auto now = cost(Block{m, n}); now <= least) {
        least = now;
        best = {m, n};
      }
  return best;
}

/// The inner loop of products: sum[m][n] += a(m, k..) b(n, k..) over all terms k, in the order in which terms(f) calls
/// f(k..). The N packs of b stay in registers for a term, those of a come one after another. m and n are constants.
template <int M, int N, class V, class Terms, class A, class B>
SINTER_INLINE void contract(V (&sum)[M][N], Terms&& terms, A&& a, B&& b) {
  terms([&](auto... k) SINTER_LAMBDA {
    V kept[N];
    unroll<N>([&](auto n) SINTER_LAMBDA {
      V loaded = b(n, k...);
      fn::keep(loaded);  // not an element of the array: g++ would store it in each iteration
      kept[n] = loaded;
    });
    unroll<M>([&](auto m) SINTER_LAMBDA {
      const V one = a(m, k...);
      unroll<N>([&](auto n) SINTER_LAMBDA { sum[m][n] = fn::fma(one, kept[n], sum[m][n]); });
    });
  });
}

}  // namespace host_kernels

SINTER_NAMESPACE_END
