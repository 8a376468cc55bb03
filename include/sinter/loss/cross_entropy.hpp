// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/fn/log_softmax.hpp"
#include "sinter/loss/evaluate_loss.hpp"
#include "sinter/loss/nll.hpp"

SINTER_NAMESPACE_BEGIN

/// LogSoftmax and NLLLoss in one. Of a row y of scores: L = log sum_i e^y_i - y[label].
/// dy = scale (softmax(y) - [i = label]); dy may be y.
struct CrossEntropyLoss : EvaluateLoss<CrossEntropyLoss> {
  using Target = ClassTarget;
  static constexpr const char* name = "CrossEntropyLoss";

  template <class V>
  SINTER_FN V forward(const V* y, int n, V label) const {
    return -fn::LogSumExp<V>(y, n).log_share(-NLLLoss{}.forward(y, n, label));
  }
  template <class V>
  SINTER_FN void backward(const V* y, int n, V label, V scale, V* dy) const {
    fn::Softmax::forward(y, dy, n);
    for (int i = 0; i < n; ++i) {
      const V hit = fn::select(label == V(static_cast<scalar_of<V>>(i)), V(1), V(0));
      dy[i] = fn::product(scale, dy[i] - hit);
    }
  }
};

SINTER_NAMESPACE_END
