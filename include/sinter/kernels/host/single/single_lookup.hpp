// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <limits>

#include "sinter/kernels/host/plan/weight_rows.hpp"
#include "sinter/kernels/host/single/single_plan.hpp"
#include "sinter/ops/lookup.hpp"

SINTER_NAMESPACE_BEGIN

namespace host_kernels {

/// Rows of a table for one sample: a row is copied with its numbers in the lanes; transposed, each number of several
/// rows.
template <>
struct SingleKernel<Source::lookup> {
  template <class P, int S, class One>
  static void forward(const One& single) {
    using T = typename P::Scalar;
    using V = typename P::V;
    constexpr Op op = P::source(S);
    constexpr int size = P::parameter(op.weight).shape[1], count = P::parameter(op.weight).shape[0], L = P::lanes;
    const V none(std::numeric_limits<T>::quiet_NaN());
    const auto table = single.template parameter<P::source(S).weight>();
    const auto row_at = [&](int n) SINTER_LAMBDA {
      return row_of_table(*single.template at<P::stage(S).input>(Position::of(n, P::source(S).in), P::source(S).in),
                          count);
    };
    if constexpr (op.transposed) {
      for (int n = 0; n < op.in.size(); n += L) {
        const int lanes = std::min(L, op.in.size() - n);
        int rows[L];
        for (int lane = 0; lane < lanes; ++lane) rows[lane] = row_at(n + lane);
        for (int k = 0; k < size; ++k) {
          V v = none;
          for (int lane = 0; lane < lanes; ++lane)
            if (rows[lane] >= 0) v.set(lane, row_of(table, rows[lane], size)[k]);
          single.template finish<S>(Position{k, 0, n}, v, lanes);
        }
      }
    } else {
      for (int n = 0; n < op.in.size(); ++n) {
        const int row = row_at(n);
        int k = 0;
        for (; k + L <= size; k += L)
          single.template finish<S>(Position{n, 0, k}, row < 0 ? none : load_weights<V>(row_of(table, row, size), k),
                                    L);
        if constexpr (size % L != 0) {
          V v = none;
          for (int lane = 0; lane < size % L; ++lane)
            if (row >= 0) v.set(lane, row_of(table, row, size)[k + lane]);
          single.template finish<S>(Position{n, 0, k}, v, size % L);
        }
      }
    }
  }
};

}  // namespace host_kernels

SINTER_NAMESPACE_END
