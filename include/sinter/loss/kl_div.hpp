// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/core/math.hpp"
#include "sinter/fn/output_kind.hpp"
#include "sinter/loss/evaluate_loss.hpp"

SINTER_NAMESPACE_BEGIN

/// The Kullback-Leibler divergence. For a row y of log-probabilities and a row of n probabilities t, or with
/// log_target of their logarithms:   L = 1/n sum_i t_i (ln t_i - y_i), summed in order, 0 where t_i is.
/// dy_i = -scale/n t_i; dy may be y. PyTorch's mean divides by n too; with `batchmean` there is no 1/n, as in the
/// formula of the divergence.
struct KLDivLoss {
  bool log_target = false;
  bool batchmean = false;

  using Target = RowTarget;
  using OfLibrary = KLDivLoss;
  static constexpr const char* name = "KLDivLoss";
  static constexpr fn::OutputKind takes = fn::OutputKind::log_probabilities;

  template <class V>
  SINTER_FN V forward(const V* y, int n, const V* target) const {
    V total = V(0);
    for (int i = 0; i < n; ++i) {
      if (log_target) {
        total += fn::product(fn::exp(target[i]), target[i] - y[i]);
      } else {
        const V t = target[i];
        total += fn::fma(-t, y[i], fn::select(t == V(0), V(0), fn::product(t, fn::log(t))));
      }
    }
    return batchmean ? total : total / V(static_cast<scalar_of<V>>(n));
  }
  template <class V>
  SINTER_FN void backward(const V*, int n, const V* target, V scale, V* dy) const {
    const V factor = batchmean ? -scale : -scale / V(static_cast<scalar_of<V>>(n));
    for (int i = 0; i < n; ++i) dy[i] = fn::product(factor, log_target ? fn::exp(target[i]) : target[i]);
  }

  template <class Each>
  void for_each_option(Each&& each) const {
    each("log_target", log_target);
    each("batchmean", batchmean);
  }
  bool takes_target(double target) const {
    return log_target ? !(target > detail::target_slack) : detail::is_probability(target);
  }
  const char* targets_taken() const {
    return log_target ? "logarithms of probabilities, at most 0" : "probabilities from 0 to 1";
  }

  template <class... Given>
  auto operator()(const Given&... given) const {
    return detail::OnTensors<KLDivLoss>{*this}(given...);
  }
};

SINTER_NAMESPACE_END

namespace sinter {
using internal::KLDivLoss;
}  // namespace sinter
