// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/core/softplus.hpp"
#include "sinter/fn/output_kind.hpp"
#include "sinter/loss/evaluate_loss.hpp"

SINTER_NAMESPACE_BEGIN

/// Sigmoid and binary cross-entropy in one. For a row y of scores and a row of n probabilities t:
///   L = 1/n sum_i ((1 - t_i) y_i + w_i ln(1 + e^-y_i)), w_i = 1 + (pos_weight - 1) t_i, summed in order.
/// dy_i = scale/n (1 - t_i - w_i sigmoid(-y_i)); dy may be y.
struct BCEWithLogitsLoss {
  double pos_weight = 1;  ///< the weight of a positive target relative to a negative one

  using Target = RowTarget;
  using OfLibrary = BCEWithLogitsLoss;
  static constexpr const char* name = "BCEWithLogitsLoss";
  static constexpr fn::OutputKind takes = fn::OutputKind::numbers;

  template <class V>
  SINTER_FN V forward(const V* y, int n, const V* target) const {
    V total = V(0);
    for (int i = 0; i < n; ++i)
      total += fn::fma(V(1) - target[i], y[i], fn::product(weight(target[i]), fn::softplus(-y[i])));
    return total / V(static_cast<scalar_of<V>>(n));
  }
  template <class V>
  SINTER_FN void backward(const V* y, int n, const V* target, V scale, V* dy) const {
    const V factor = scale / V(static_cast<scalar_of<V>>(n));
    for (int i = 0; i < n; ++i)
      dy[i] = fn::product(factor, fn::fma(-weight(target[i]), fn::sigmoid(-y[i]), V(1) - target[i]));
  }

  template <class Each>
  void for_each_option(Each&& each) const {
    each("pos_weight", pos_weight);
  }
  void check() const { detail::require_weight_option(name, "pos_weight", pos_weight); }

  static bool takes_target(double target) { return detail::is_probability(target); }
  static const char* targets_taken() { return "probabilities from 0 to 1"; }

  template <class... Given>
  auto operator()(const Given&... given) const {
    return detail::OnTensors<BCEWithLogitsLoss>{*this}(given...);
  }

 private:
  template <class V>
  SINTER_FN V weight(V target) const {
    return fn::fma(fn::constant<V>(pos_weight - 1), target, V(1));
  }
};

SINTER_NAMESPACE_END

namespace sinter {
using internal::BCEWithLogitsLoss;
}  // namespace sinter
