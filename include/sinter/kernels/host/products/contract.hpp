// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/core/macros.hpp"
#include "sinter/core/pack.hpp"
#include "sinter/core/pack_keep.hpp"
#include "sinter/core/unroll.hpp"

SINTER_NAMESPACE_BEGIN

namespace host_kernels {

/// The inner loop of products: sum[m][n] += a(m, k..) b(n, k..) over all terms k, in the order in which terms(f) calls
/// f(k..). The N packs of b stay in registers for a term, those of a come one after another.
template <int M, int N, class V, class Terms, class A, class B>
SINTER_INLINE void contract(V (&sum)[M][N], Terms&& terms, A&& a, B&& b) {
  terms([&](auto... k) SINTER_LAMBDA {
    V kept[N];
    unroll<N>([&](int n) SINTER_LAMBDA {
      V loaded = b(n, k...);
      fn::keep(loaded);  // not an element of the array: g++ would store it in each iteration
      kept[n] = loaded;
    });
    unroll<M>([&](int m) SINTER_LAMBDA {
      const V one = a(m, k...);
      unroll<N>([&](int n) SINTER_LAMBDA {
        V next = fn::fma(one, kept[n], sum[m][n]);
        if (M * N > 16 && n == N - 1) fn::keep_order(next);
        sum[m][n] = next;
      });
    });
  });
}

}  // namespace host_kernels

SINTER_NAMESPACE_END
