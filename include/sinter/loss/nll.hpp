// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/fn/output_kind.hpp"
#include "sinter/loss/evaluate_loss.hpp"

SINTER_NAMESPACE_BEGIN

/// For a row y of log-probabilities: L = -y[label].   dy = -scale at the label, else 0; dy may be y.
struct NLLLoss : EvaluateLoss<NLLLoss> {
  using Target = ClassTarget;
  using OfLibrary = NLLLoss;
  static constexpr const char* name = "NLLLoss";
  static constexpr fn::OutputKind takes = fn::OutputKind::log_probabilities;

  template <class V>
  SINTER_FN V forward(const V* y, int n, V label) const {
    V at_label = y[0];
    for (int i = 1; i < n; ++i) at_label = fn::select(label == V(static_cast<scalar_of<V>>(i)), y[i], at_label);
    return -at_label;
  }
  template <class V>
  SINTER_FN void backward(const V*, int n, V label, V scale, V* dy) const {
    for (int i = 0; i < n; ++i) dy[i] = fn::select(label == V(static_cast<scalar_of<V>>(i)), -scale, V(0));
  }
};

SINTER_NAMESPACE_END

namespace sinter {
using internal::NLLLoss;
}  // namespace sinter
