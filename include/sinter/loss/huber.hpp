// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/core/math.hpp"
#include "sinter/loss/evaluate_loss.hpp"

SINTER_NAMESPACE_BEGIN

/// For a row y and a row of n targets, with d = y_i - target_i:
///   L = 1/n sum_i (d^2 / 2 where |d| < delta, else delta (|d| - delta / 2)), summed in order.
/// dy_i = scale/n (d, held between -delta and delta); dy may be y.
struct HuberLoss {
  double delta = 1;

  using Target = RowTarget;
  using OfLibrary = HuberLoss;
  static constexpr const char* name = "HuberLoss";

  template <class V>
  SINTER_FN V forward(const V* y, int n, const V* target) const {
    V total = V(0);
    for (int i = 0; i < n; ++i) {
      const V d = fn::abs(y[i] - target[i]);
      total += fn::select(d < fn::constant<V>(delta), fn::product(fn::product(d, d), fn::constant<V>(0.5)),
                          fn::product(fn::constant<V>(delta), d - fn::constant<V>(delta / 2)));
    }
    return total / V(static_cast<scalar_of<V>>(n));
  }
  template <class V>
  SINTER_FN void backward(const V* y, int n, const V* target, V scale, V* dy) const {
    const V factor = scale / V(static_cast<scalar_of<V>>(n));
    for (int i = 0; i < n; ++i)
      dy[i] = fn::product(factor, fn::max(fn::constant<V>(-delta), fn::min(fn::constant<V>(delta), y[i] - target[i])));
  }

  template <class Each>
  void for_each_option(Each&& each) const {
    each("delta", delta);
  }
  void check() const {
    detail::require_option(delta != 0 && is_weight(delta), name, "delta", delta, "a number from 1e-30 to 1e30");
  }

  template <class... Given>
  auto operator()(const Given&... given) const {
    return detail::OnTensors<HuberLoss>{*this}(given...);
  }
};

SINTER_NAMESPACE_END

namespace sinter {
using internal::HuberLoss;
}  // namespace sinter
