// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/loss/evaluate_loss.hpp"

SINTER_NAMESPACE_BEGIN

/// For a row y and a row of n targets: L = 1/n sum_i |y_i - target_i|, summed in order.
/// dy_i = scale/n sign(y_i - target_i); dy may be y.
struct L1Loss : EvaluateLoss<L1Loss> {
  using Target = RowTarget;
  using OfLibrary = L1Loss;
  static constexpr const char* name = "L1Loss";

  template <class V>
  SINTER_FN V forward(const V* y, int n, const V* target) const {
    V total = V(0);
    for (int i = 0; i < n; ++i) total += fn::abs(y[i] - target[i]);
    return total / V(static_cast<scalar_of<V>>(n));
  }
  template <class V>
  SINTER_FN void backward(const V* y, int n, const V* target, V scale, V* dy) const {
    const V factor = scale / V(static_cast<scalar_of<V>>(n));
    for (int i = 0; i < n; ++i) {
      const V difference = y[i] - target[i];
      dy[i] = fn::select(difference == V(0), V(0), fn::select(difference < V(0), -factor, factor));
    }
  }
};

SINTER_NAMESPACE_END

namespace sinter {
using internal::L1Loss;
}  // namespace sinter
