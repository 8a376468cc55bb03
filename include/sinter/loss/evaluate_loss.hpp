// SPDX-License-Identifier: MIT
#pragma once

#include <concepts>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "sinter/core/macros.hpp"
#include "sinter/core/pack.hpp"
#include "sinter/core/tensor.hpp"
#include "sinter/loss/target.hpp"
#include "sinter/loss/target_range.hpp"
#include "sinter/loss/weight.hpp"

SINTER_NAMESPACE_BEGIN

/// The mean of a loss over the rows of a batch, and its gradient with respect to them.
template <class T, class S>
struct LossResult {
  T value = 0;
  Tensor<T, S> gradient;
};

namespace detail {

void require_rows(const char* loss, std::size_t rows, std::size_t targets);
void require_weights(const char* loss, std::size_t rows, std::size_t weights);
void require_weight(const char* loss, std::size_t row, double weight);

/// A loss on tensors: outputs [rows][S], and a span of labels of any integer type, or a tensor [rows][S] of targets;
/// and a weight for each row, where given. Each row is a call of `forward` and `backward` with scale 1 / rows, or,
/// where rows have weights, its weight / the sum of them.
template <class Loss>
struct OnTensors {
  const Loss& loss;

  template <class T, class S, std::integral Label, class... Weights>
  LossResult<std::remove_const_t<T>, S> operator()(const TensorView<T, S>& outputs, std::span<const Label> labels,
                                                   const Weights&... weights) const {
    static_assert(std::is_same_v<typename Loss::Target, ClassTarget>,
                  "sinter: this loss compares with rows of numbers; pass a tensor of targets, not labels");
    static_assert(fits_classes<Loss, S::size>,
                  "sinter: this loss has weights for another number of classes than there are scores in a row");
    using Value = std::remove_const_t<T>;
    require_rows(Loss::name, outputs.rows, labels.size());
    for (std::size_t i = 0; i < labels.size(); ++i)
      if ((std::cmp_less(labels[i], 0) || std::cmp_greater_equal(labels[i], S::size)) && !ignores(loss, labels[i]))
        fail(std::string(Loss::name) + " was given label " + std::to_string(labels[i]) + " in row " +
             std::to_string(i) + ", expected 0 to " + std::to_string(S::size - 1) +
             "; check the labels or the width of the last layer");
    return each_row<Value, S>(
        outputs, [&](std::size_t i) { return static_cast<Value>(labels[i]); },
        [&](std::size_t i) { return class_weight(loss, static_cast<std::int64_t>(labels[i])); }, weights...);
  }

  template <class T, class S, class U, class... Weights>
  LossResult<std::remove_const_t<T>, S> operator()(const TensorView<T, S>& outputs,
                                                   const TensorView<U, target_row<Loss, S>>& targets,
                                                   const Weights&... weights) const {
    static_assert(std::is_same_v<typename Loss::Target, RowTarget>,
                  "sinter: this loss compares with class numbers; pass a span of integer labels, not a tensor");
    using Value = std::remove_const_t<T>;
    require_rows(Loss::name, outputs.rows, targets.rows);
    const TensorView<const U, target_row<Loss, S>> rows = targets;
    std::vector<Value> target(static_cast<std::size_t>(target_size<Loss>(S::size)));
    check_rows(rows);
    return each_row<Value, S>(
        outputs,
        [&](std::size_t i) {
          copy_row(rows, i, target.data());
          return static_cast<const Value*>(target.data());
        },
        [](std::size_t) { return 1.0; }, weights...);
  }

  // The same for arguments that convert to a view or a span.
  template <class T, class S, class Targets, class... Weights>
  auto operator()(const Tensor<T, S>& outputs, const Targets& targets, const Weights&... weights) const {
    return (*this)(outputs.view(), targets, weights...);
  }
  template <class T, class S, class U, class... Weights>
  auto operator()(const TensorView<T, S>& outputs, const Tensor<U, target_row<Loss, S>>& targets,
                  const Weights&... weights) const {
    return (*this)(outputs, targets.view(), weights...);
  }
  template <class T, class S, class Labels, class... Weights>
    requires std::integral<typename Labels::value_type>
  auto operator()(const TensorView<T, S>& outputs, const Labels& labels, const Weights&... weights) const {
    return (*this)(outputs, std::span<const typename Labels::value_type>(labels), weights...);
  }

 private:
  template <class T, class S>
  void check_rows([[maybe_unused]] const TensorView<T, S>& targets) const {
    if constexpr (heads_of_loss<Loss> > 0 || LimitsTargets<Loss>) {
      std::vector<double> row(S::size);
      for (std::size_t i = 0; i < targets.rows; ++i) {
        copy_row(targets, i, row.data());
        if constexpr (heads_of_loss<Loss> > 0)
          loss.check_targets(i, row.data());
        else
          for (int k = 0; k < S::size; ++k) check_target(loss, i, k, row.data()[k]);
      }
    }
  }
  template <class T, class S, class TargetOf, class WeightOf>
  LossResult<T, S> each_row(TensorView<const T, S> outputs, TargetOf target_of, WeightOf class_weight_of) const {
    return sum_rows<T, S>(outputs, target_of, class_weight_of, [](std::size_t) { return 1.0; });
  }
  template <class T, class S, class TargetOf, class WeightOf, class Weights>
  LossResult<T, S> each_row(TensorView<const T, S> outputs, TargetOf target_of, WeightOf class_weight_of,
                            const Weights& weights) const {
    require_weights(Loss::name, outputs.rows, weights.size());
    for (std::size_t i = 0; i < outputs.rows; ++i) require_weight(Loss::name, i, static_cast<double>(weights[i]));
    return sum_rows<T, S>(outputs, target_of, class_weight_of,
                          [&](std::size_t i) { return static_cast<double>(weights[i]); });
  }
  template <class T, class S, class TargetOf, class ClassWeight, class Weight>
  LossResult<T, S> sum_rows(TensorView<const T, S> outputs, TargetOf target_of, ClassWeight class_weight_of,
                            Weight weight_of) const {
    check_options(loss);
    LossResult<T, S> result{0, Tensor<T, S>(outputs.rows)};
    double total = 0;
    for (std::size_t i = 0; i < outputs.rows; ++i) total += weight_of(i) * class_weight_of(i);
    check_total_weight(total);
    const T share = static_cast<T>(mean_factor(total));
    decltype(auto) own = loss_of_rows(loss, outputs.rows, target_of, weight_of);
    std::vector<T> row(S::size);
    const T* const y = row.data();
    for (std::size_t i = 0; i < outputs.rows; ++i) {
      copy_row(outputs, i, row.data());
      const auto target = target_of(i);
      const T weight = static_cast<T>(weight_of(i));
      result.value += weight * own.forward(y, S::size, target);
      own.backward(y, S::size, target, weight * share, result.gradient.data() + i * S::size);
    }
    result.value = total > 0 ? result.value / static_cast<T>(total) : T(0);
    return result;
  }
};

}  // namespace detail

/// Gives a loss `loss(outputs, targets)` and `loss(outputs, targets, weights)` on tensors.
template <class Loss>
struct EvaluateLoss {
  template <class... Given>
  auto operator()(const Given&... given) const {
    return detail::OnTensors<Loss>{static_cast<const Loss&>(*this)}(given...);
  }
};

SINTER_NAMESPACE_END

#if SINTER_BODIES
#include "sinter/loss/evaluate_loss.ipp"
#endif
