// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/core/math.hpp"
#include "sinter/loss/evaluate_loss.hpp"

SINTER_NAMESPACE_BEGIN

/// For a row y and a row of n targets, with d = y_i - target_i:
///   L = 1/n sum_i (d^2 / (2 beta) where |d| < beta, else |d| - beta / 2), summed in order.
/// dy_i = scale/n (d / beta where |d| < beta, else sign(d)); dy may be y. With beta = 0 this is L1Loss.
struct SmoothL1Loss {
  double beta = 1;

  using Target = RowTarget;
  using OfLibrary = SmoothL1Loss;
  static constexpr const char* name = "SmoothL1Loss";

  template <class V>
  SINTER_FN V forward(const V* y, int n, const V* target) const {
    const V half = fn::constant<V>(beta / 2), inverse = fn::constant<V>(beta > 0 ? 0.5 / beta : 0);
    V total = V(0);
    for (int i = 0; i < n; ++i) {
      const V d = fn::abs(y[i] - target[i]);
      total += fn::select(d < fn::constant<V>(beta), fn::product(fn::product(d, d), inverse), d - half);
    }
    return total / V(static_cast<scalar_of<V>>(n));
  }
  template <class V>
  SINTER_FN void backward(const V* y, int n, const V* target, V scale, V* dy) const {
    const V factor = scale / V(static_cast<scalar_of<V>>(n)), inner = factor * fn::constant<V>(beta > 0 ? 1 / beta : 0);
    for (int i = 0; i < n; ++i) {
      const V d = y[i] - target[i];
      const V outer = fn::select(d == V(0), V(0), fn::select(d < V(0), -factor, factor));
      dy[i] = fn::select(fn::abs(d) < fn::constant<V>(beta), fn::product(inner, d), outer);
    }
  }

  template <class Each>
  void for_each_option(Each&& each) const {
    each("beta", beta);
  }
  void check() const { detail::require_weight_option(name, "beta", beta); }

  template <class... Given>
  auto operator()(const Given&... given) const {
    return detail::OnTensors<SmoothL1Loss>{*this}(given...);
  }
};

SINTER_NAMESPACE_END

namespace sinter {
using internal::SmoothL1Loss;
}  // namespace sinter
