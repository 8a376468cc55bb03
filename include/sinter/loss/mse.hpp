// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/loss/evaluate_loss.hpp"

SINTER_NAMESPACE_BEGIN

/// For a row y and a row of n targets: L = 1/n sum_i (y_i - target_i)^2, summed in order.
/// dy_i = scale 2/n (y_i - target_i); dy may be y.
struct MSELoss : EvaluateLoss<MSELoss> {
  using Target = RowTarget;
  using OfLibrary = MSELoss;
  static constexpr const char* name = "MSELoss";

  template <class V>
  SINTER_FN V forward(const V* y, int n, const V* target) const {
    V total = V(0);
    for (int i = 0; i < n; ++i) {
      const V difference = y[i] - target[i];
      total = fn::fma(difference, difference, total);
    }
    return total / V(static_cast<scalar_of<V>>(n));
  }
  template <class V>
  SINTER_FN void backward(const V* y, int n, const V* target, V scale, V* dy) const {
    const V factor = scale * V(2) / V(static_cast<scalar_of<V>>(n));
    for (int i = 0; i < n; ++i) dy[i] = fn::product(factor, y[i] - target[i]);
  }
};

SINTER_NAMESPACE_END

namespace sinter {
using internal::MSELoss;
}  // namespace sinter
