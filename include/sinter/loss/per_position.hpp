// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>

#include "sinter/core/math.hpp"
#include "sinter/core/predicted_class.hpp"
#include "sinter/core/shape.hpp"
#include "sinter/loss/evaluate_loss.hpp"
#include "sinter/loss/target.hpp"

SINTER_NAMESPACE_BEGIN

/// Where a row of outputs has the scores of a position: one after another, [positions][classes], or in a plane for each
/// class, [classes][positions].
enum class ClassOrder : unsigned char { classes_last, classes_first };

/// A loss of classes at each position of a row: each step of a sequence, or each pixel of an image. As PyTorch's
/// CrossEntropyLoss of [rows, classes, positions], it is the mean over the positions of all rows: the sum of L(y_p,
/// label_p), divided by their number or, if the loss has weights of classes, by the weights of their labels. A row of
/// targets has the label of each position; Positions is its shape. Made by at_each_step<Net>(loss) and
/// at_each_pixel<Net>(loss).
template <class Positions, int Classes, ClassOrder Order, class Loss>
struct PerPosition : EvaluateLoss<PerPosition<Positions, Classes, Order, Loss>> {
  using Target = RowTarget;
  using Alone = Loss;
  static constexpr const char* name = "PerPosition";
  static constexpr int target_size = Positions::size, classes_of_position = Classes;
  static constexpr bool weighs_heads = WeighsClasses<Loss>;
  static constexpr int count = 0;  // heads, whose losses a step adds up separately

  Loss loss{};
  double share = 1.0 / target_size;  // of a position in the loss of its row: see for_rows

  constexpr PerPosition() = default;
  constexpr explicit PerPosition(const Loss& given) : loss(given) {}

  template <class V>
  SINTER_FN V forward(const V* y, int, const V* labels) const {
    V total = V(0);
    for (int p = 0; p < target_size; ++p)
      at_position(y, p, [&](const V* scores) { total += loss.forward(scores, Classes, labels[p]); });
    return fn::product(fn::constant<V>(share), total);
  }
  /// dy may be y.
  template <class V>
  SINTER_FN void backward(const V* y, int, const V* labels, V scale, V* dy) const {
    const V of_position = fn::product(fn::constant<V>(share), scale);
    for (int p = 0; p < target_size; ++p) {
      if constexpr (Order == ClassOrder::classes_last) {
        loss.backward(y + p * Classes, Classes, labels[p], of_position, dy + p * Classes);
      } else {
        V own[Classes];
        for (int c = 0; c < Classes; ++c) own[c] = y[c * target_size + p];
        loss.backward(static_cast<const V*>(own), Classes, labels[p], of_position, own);
        for (int c = 0; c < Classes; ++c) dy[c * target_size + p] = own[c];
      }
    }
  }

  /// For rows [0, rows) whose sum will be divided by the sum of weight_of(row): the share of a position corrects for
  /// not being divided by the weights of the labels.
  template <class TargetOf, class WeightOf>
  PerPosition for_rows(std::size_t rows, TargetOf&& target_of, WeightOf&& weight_of) const {
    PerPosition own = *this;
    double all = 0, counted = 0;
    for (std::size_t row = 0; row < rows; ++row) {
      const double weight = weight_of(row);
      const auto* const labels = target_of(row);
      double of_labels = 0;
      for (int p = 0; p < target_size; ++p)
        of_labels += detail::class_weight(loss, static_cast<std::int64_t>(labels[p]));
      all += weight;
      counted += weight * of_labels;
    }
    own.share = counted > 0 ? all / counted : 0;
    return own;
  }

  /// The first position whose label is not a class, nor one that the loss ignores; -1 if there is none.
  template <class T>
  constexpr int first_wrong(const T* labels) const {
    for (int p = 0; p < target_size; ++p) {
      const bool is_class =
          labels[p] >= T(0) && labels[p] < T(Classes) && labels[p] == static_cast<T>(static_cast<int>(labels[p]));
      if (!is_class && !leaves_out(labels[p])) return p;
    }
    return -1;
  }
  /// Whether the loss ignores a position with this label.
  template <class T>
  constexpr bool leaves_out([[maybe_unused]] T label) const {
    if constexpr (requires { loss.ignore_index; })
      return label == static_cast<T>(loss.ignore_index);
    else
      return false;
  }
  /// Whether the largest score at a position is that of its label.
  template <class T>
  bool is_right_at(int position, const T* y, const T* labels) const {
    bool right = false;
    at_position(y, position, [&](const T* scores) {
      right = predicted_class(scores, Classes) == static_cast<int>(labels[position]);
    });
    return right;
  }

  template <class Each>
  void for_each_option(Each&& each) const {
    each("loss", loss);
  }
  void check() const { detail::check_options(loss); }

 private:
  /// use(the scores of position p, one after another).
  template <class V, class Use>
  SINTER_FN static void at_position(const V* y, int p, Use&& use) {
    if constexpr (Order == ClassOrder::classes_last) {
      use(y + p * Classes);
    } else {
      V scores[Classes];
      for (int c = 0; c < Classes; ++c) scores[c] = y[c * target_size + p];
      use(static_cast<const V*>(scores));
    }
  }
};

namespace detail {
template <class Positions, int Classes, ClassOrder Order, class Loss, class OutputRow>
struct TargetRow<PerPosition<Positions, Classes, Order, Loss>, OutputRow> {
  using Type = Positions;
};
}  // namespace detail

SINTER_NAMESPACE_END

namespace sinter {
using internal::ClassOrder;
using internal::PerPosition;
}  // namespace sinter
