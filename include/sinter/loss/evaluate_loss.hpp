// SPDX-License-Identifier: MIT
#pragma once

#include <concepts>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "sinter/core/pack.hpp"
#include "sinter/core/tensor.hpp"
#include "sinter/loss/target.hpp"

SINTER_NAMESPACE_BEGIN

/// The mean of a loss over the rows of a batch, and its gradient with respect to them.
template <class T, class S>
struct LossResult {
  T value = 0;
  Tensor<T, S> gradient;
};

namespace detail {

inline void require_rows(const char* loss, std::size_t rows, std::size_t targets) {
  if (rows == 0) fail(std::string(loss) + " was given a batch of no rows, expected at least one; skip empty batches");
  if (targets != rows)
    fail(std::string(loss) + " was given " + std::to_string(targets) + " targets for " + std::to_string(rows) +
         " rows of outputs, expected one each; pass the targets of the same batch");
}

}  // namespace detail

/// Gives a loss `loss(outputs, targets)` on tensors: outputs [rows][S], and a span of labels of any integer type, or a
/// tensor [rows][S] of targets. Each row is a call of `forward` and `backward` with scale 1 / rows.
template <class Loss>
struct EvaluateLoss {
  template <class T, class S, std::integral Label>
  LossResult<std::remove_const_t<T>, S> operator()(const TensorView<T, S>& outputs,
                                                   std::span<const Label> labels) const {
    static_assert(std::is_same_v<typename Loss::Target, ClassTarget>,
                  "sinter: this loss compares with rows of numbers; pass a tensor of targets, not labels");
    using Value = std::remove_const_t<T>;
    detail::require_rows(Loss::name, outputs.rows, labels.size());
    for (std::size_t i = 0; i < labels.size(); ++i)
      if (std::cmp_less(labels[i], 0) || std::cmp_greater_equal(labels[i], S::size))
        fail(std::string(Loss::name) + " was given label " + std::to_string(labels[i]) + " in row " +
             std::to_string(i) + ", expected 0 to " + std::to_string(S::size - 1) +
             "; check the labels or the width of the last layer");
    return each_row<Value, S>(outputs, [&](std::size_t i) { return static_cast<Value>(labels[i]); });
  }

  template <class T, class S, class U>
  LossResult<std::remove_const_t<T>, S> operator()(const TensorView<T, S>& outputs,
                                                   const TensorView<U, S>& targets) const {
    static_assert(std::is_same_v<typename Loss::Target, RowTarget>,
                  "sinter: this loss compares with class numbers; pass a span of integer labels, not a tensor");
    using Value = std::remove_const_t<T>;
    detail::require_rows(Loss::name, outputs.rows, targets.rows);
    const TensorView<const U, S> rows = targets;
    std::vector<Value> target(S::size);
    return each_row<Value, S>(outputs, [&](std::size_t i) {
      copy_row(rows, i, target.data());
      return static_cast<const Value*>(target.data());
    });
  }

  // The same on what converts to a view or a span.
  template <class T, class S, class Targets>
  auto operator()(const Tensor<T, S>& outputs, const Targets& targets) const {
    return (*this)(outputs.view(), targets);
  }
  template <class T, class S, class U>
  auto operator()(const TensorView<T, S>& outputs, const Tensor<U, S>& targets) const {
    return (*this)(outputs, targets.view());
  }
  template <class T, class S, class Labels>
    requires std::integral<typename Labels::value_type>
  auto operator()(const TensorView<T, S>& outputs, const Labels& labels) const {
    return (*this)(outputs, std::span<const typename Labels::value_type>(labels));
  }

 private:
  template <class T, class S, class TargetOf>
  LossResult<T, S> each_row(TensorView<const T, S> outputs, TargetOf target_of) const {
    const Loss& loss = static_cast<const Loss&>(*this);
    LossResult<T, S> result{0, Tensor<T, S>(outputs.rows)};
    const T scale = T(1) / static_cast<T>(outputs.rows);
    for (std::size_t i = 0; i < outputs.rows; ++i) {
      T* row = result.gradient.data() + i * S::size;
      copy_row(outputs, i, row);
      const auto target = target_of(i);
      result.value += loss.forward(static_cast<const T*>(row), S::size, target);
      loss.backward(static_cast<const T*>(row), S::size, target, scale, row);
    }
    result.value = result.value / static_cast<T>(outputs.rows);
    return result;
  }
};

SINTER_NAMESPACE_END
