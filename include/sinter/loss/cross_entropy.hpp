// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/core/math.hpp"
#include "sinter/fn/log_softmax.hpp"
#include "sinter/fn/output_kind.hpp"
#include "sinter/loss/evaluate_loss.hpp"
#include "sinter/loss/nll.hpp"

SINTER_NAMESPACE_BEGIN

/// LogSoftmax and NLLLoss in one. For a row y of n scores, with e = label_smoothing: L = sum_i q_i (log sum_j e^y_j -
/// y_i) with q_i = (1 - e) [i = label] + e / n.   dy = scale (softmax(y) - q); dy may be y.
struct CrossEntropyLoss {
  double label_smoothing = 0;

  using Target = ClassTarget;
  using OfLibrary = CrossEntropyLoss;
  static constexpr const char* name = "CrossEntropyLoss";
  static constexpr fn::OutputKind takes = fn::OutputKind::numbers;

  template <class V>
  SINTER_FN V forward(const V* y, int n, V label) const {
    return forward_of(fn::LogSumExp<V>(y, n), y, n, label);
  }
  template <class V>
  SINTER_FN void backward(const V* y, int n, V label, V scale, V* dy) const {
    fn::Softmax::forward(y, dy, n);
    subtract_target(n, label, scale, dy);
  }
  /// The loss and dy at once, where dy has the exponentials of y (fn::exponential).
  template <class V>
  SINTER_FN V forward_and_backward_from(const V* y, int n, V label, V scale, V* dy) const {
    const V loss = forward_of(fn::LogSumExp<V>(y, dy, n), y, n, label);
    fn::Softmax::forward_from(y, dy, n);
    subtract_target(n, label, scale, dy);
    return loss;
  }

  template <class Each>
  void for_each_option(Each&& each) const {
    each("label_smoothing", label_smoothing);
  }
  void check() const {
    detail::require_option(label_smoothing >= 0 && label_smoothing <= 1, name, "label_smoothing", label_smoothing,
                           "a number from 0 to 1");
  }

  template <class... Given>
  auto operator()(const Given&... given) const {
    return detail::OnTensors<CrossEntropyLoss>{*this}(given...);
  }

 private:
  template <class V>
  SINTER_FN V forward_of(const fn::LogSumExp<V>& of, const V* y, int n, V label) const {
    const V of_label = -of.log_share(-NLLLoss{}.forward(y, n, label));
    if (label_smoothing == 0) return of_label;
    V all = V(0);
    for (int i = 0; i < n; ++i) all += of.log_share(y[i]);
    return fn::fma(fn::constant<V>(-label_smoothing / n), all,
                   fn::product(fn::constant<V>(1 - label_smoothing), of_label));
  }
  /// dy from softmax(y), in its place.
  template <class V>
  SINTER_FN void subtract_target(int n, V label, V scale, V* dy) const {
    const V elsewhere = fn::constant<V>(label_smoothing / n),
            there = fn::constant<V>(1 - label_smoothing + label_smoothing / n);
    for (int i = 0; i < n; ++i) {
      const V q = fn::select(label == V(static_cast<scalar_of<V>>(i)), there, elsewhere);
      dy[i] = fn::product(scale, dy[i] - q);
    }
  }
};

SINTER_NAMESPACE_END

namespace sinter {
using internal::CrossEntropyLoss;
}  // namespace sinter
