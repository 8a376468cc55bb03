// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>

#include "sinter/core/math.hpp"
#include "sinter/fn/log_softmax.hpp"
#include "sinter/fn/output_kind.hpp"
#include "sinter/loss/class_weights.hpp"
#include "sinter/loss/evaluate_loss.hpp"

SINTER_NAMESPACE_BEGIN

/// CrossEntropyLoss with a weight for each class, and a label whose rows do not count. For a row y of scores, with e =
/// label_smoothing: L = sum_i q_i (log sum_j e^y_j - y_i), q_i = w_i ((1 - e) [i = label] + e / Classes). dy = scale
/// (softmax(y) sum_i q_i - q); dy may be y. The mean divides by the sum of the labels' weights, not by the rows.
template <int Classes>
struct WeightedCrossEntropyLoss {
  ClassWeights<Classes> weight{};
  std::int64_t ignore_index = -100;
  double label_smoothing = 0;

  using Target = ClassTarget;
  using OfLibrary = WeightedCrossEntropyLoss;
  static constexpr const char* name = "WeightedCrossEntropyLoss";
  static constexpr fn::OutputKind takes = fn::OutputKind::numbers;
  static constexpr int classes = Classes;

  /// The weight of a row with this label; 0 for `ignore_index`.
  constexpr double weight_of(std::int64_t label) const {
    const bool counts = label != ignore_index && label >= 0 && label < Classes;
    return counts ? weight[static_cast<int>(label)] : 0;
  }

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
    each("weight", weight);
    each("ignore_index", ignore_index);
    each("label_smoothing", label_smoothing);
  }
  void check() const {
    detail::require_option(label_smoothing >= 0 && label_smoothing <= 1, name, "label_smoothing", label_smoothing,
                           "a number from 0 to 1");
    for (int i = 0; i < Classes; ++i)
      detail::require_weight_option(name, ("weight[" + std::to_string(i) + "]").c_str(), weight[i]);
  }

  template <class... Given>
  auto operator()(const Given&... given) const {
    return detail::OnTensors<WeightedCrossEntropyLoss>{*this}(given...);
  }

 private:
  template <class V>
  SINTER_FN V forward_of(const fn::LogSumExp<V>& of, const V* y, int n, V label) const {
    V total = V(0);
    for (int i = 0; i < n; ++i) total = fn::fma(-share<V>(i, label), of.log_share(y[i]), total);
    return fn::select(label == ignored_label<V>(), V(0), total);
  }
  /// dy from softmax(y), in its place.
  template <class V>
  SINTER_FN void subtract_target(int n, V label, V scale, V* dy) const {
    const V counted = fn::select(label == ignored_label<V>(), V(0), scale);
    V total = V(0);
    for (int i = 0; i < n; ++i) total += share<V>(i, label);
    for (int i = 0; i < n; ++i) dy[i] = fn::product(counted, fn::fma(dy[i], total, -share<V>(i, label)));
  }
  template <class V>
  SINTER_FN V ignored_label() const {
    return V(static_cast<scalar_of<V>>(ignore_index));
  }
  /// q_i of a row with that label.
  template <class V>
  SINTER_FN V share(int i, V label) const {
    const double w = weight[i], elsewhere = label_smoothing / Classes;
    return fn::select(label == V(static_cast<scalar_of<V>>(i)), fn::constant<V>(w * (1 - label_smoothing + elsewhere)),
                      fn::constant<V>(w * elsewhere));
  }
};

SINTER_NAMESPACE_END

namespace sinter {
using internal::WeightedCrossEntropyLoss;
}  // namespace sinter
