// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "sinter/core/error.hpp"
#include "sinter/core/math.hpp"
#include "sinter/core/number_text.hpp"
#include "sinter/core/of_library.hpp"
#include "sinter/core/predicted_class.hpp"
#include "sinter/core/shape.hpp"
#include "sinter/core/tensor.hpp"
#include "sinter/loss/evaluate_loss.hpp"
#include "sinter/loss/target.hpp"
#include "sinter/loss/weight.hpp"

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
struct PerPosition {
  using Target = RowTarget;
  static constexpr const char* name = Order == ClassOrder::classes_last ? "at_each_step" : "at_each_pixel";
  static constexpr int target_size = Positions::size, classes_of_position = Classes;
  static constexpr bool weighs_heads = WeighsClasses<Loss>;
  static constexpr int count = 0;  // heads, whose losses a step adds up separately
  /// The outputs of a network that it is made for.
  static constexpr Dims outputs = Order == ClassOrder::classes_last ? series(Positions::size, Classes)
                                  : Positions::rank == 1
                                      ? series(Classes, Positions::size)
                                      : image(Classes, Positions::dims.channels, Positions::dims.width);

  Loss loss{};
  double share = 1.0 / target_size;  // of a position in the loss of its row

  constexpr PerPosition() = default;
  constexpr explicit PerPosition(const Loss& given) : loss(given) {}

  template <class V>
  SINTER_FN V forward(const V* y, int, const V* labels) const {
    V total = V(0);
    V room[room_size];
    for (int p = 0; p < target_size; ++p) total += loss.forward(scores_at(y, p, room), Classes, labels[p]);
    return fn::product(fn::constant<V>(share), total);
  }
  /// dy may be y if the loss allows it.
  template <class V>
  SINTER_FN void backward(const V* y, int, const V* labels, V scale, V* dy) const {
    const V of_position = fn::product(fn::constant<V>(share), scale);
    for (int p = 0; p < target_size; ++p) {
      if constexpr (Order == ClassOrder::classes_last) {
        loss.backward(y + p * Classes, Classes, labels[p], of_position, dy + p * Classes);
      } else {
        constexpr bool in_place = detail::is_of_library<Loss>;
        V scores[Classes], apart[in_place ? 1 : Classes];
        V* const own = in_place ? scores : apart;
        for (int c = 0; c < Classes; ++c) scores[c] = y[c * target_size + p];
        loss.backward(static_cast<const V*>(scores), Classes, labels[p], of_position, own);
        for (int c = 0; c < Classes; ++c) dy[c * target_size + p] = own[c];
      }
    }
  }

  /// The weight of a row with these labels: the mean of theirs.
  template <class T>
  constexpr double weight_of_row(const T* labels) const {
    double sum = 0;
    for (int p = 0; p < target_size; ++p) sum += detail::class_weight(loss, static_cast<std::int64_t>(labels[p]));
    return sum / target_size;
  }
  /// For rows [0, rows) whose sum will be divided by the sum of weight_of(row), and not by that of weight_of(row)
  /// weight_of_row(target_of(row)).
  template <class TargetOf, class WeightOf>
  PerPosition for_rows(std::size_t rows, TargetOf&& target_of, WeightOf&& weight_of) const {
    double all = 0, counted = 0;
    for (std::size_t row = 0; row < rows; ++row) {
      all += weight_of(row);
      counted += weight_of(row) * weight_of_row(target_of(row));
    }
    PerPosition own = *this;
    own.share = counted > 0 ? share * all / counted : 0;
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
  SINTER_HOST_DEVICE constexpr bool leaves_out([[maybe_unused]] T label) const {
    if constexpr (requires { loss.ignore_index; })
      return label == static_cast<T>(loss.ignore_index);
    else
      return false;
  }
  /// The class with the largest score at a position, or -1 as predicted_class; and whether it is that of the label.
  template <class T>
  SINTER_FN int answer_at(int position, const T* y) const {
    T room[room_size];
    return predicted_class(scores_at(y, position, room), Classes);
  }
  template <class T>
  SINTER_FN bool is_right_at(int position, const T* y, const T* labels) const {
    return answer_at(position, y) == static_cast<int>(labels[position]);
  }
  /// How many positions have labels that count, and at how many of those the largest score is that of the label.
  template <class T>
  constexpr int count_judged(const T* labels) const {
    int judged = 0;
    for (int p = 0; p < target_size; ++p) judged += !leaves_out(labels[p]);
    return judged;
  }
  template <class T>
  SINTER_FN int count_right(const T* y, const T* labels) const {
    int right = 0;
    for (int p = 0; p < target_size; ++p) right += !leaves_out(labels[p]) && is_right_at(p, y, labels);
    return right;
  }

  template <class Each>
  void for_each_option(Each&& each) const {
    each("loss", loss);
  }
  void check() const { detail::check_options(loss); }
  /// Fails if row number `row` has a label that is not a class, nor one that the loss ignores.
  template <class T>
  SINTER_COLD void check_labels(std::size_t row, const T* labels) const {
    const int wrong = first_wrong(labels);
    if (wrong < 0) return;
    fail(
        "row " + std::to_string(row) + " of the targets has the class " +
        exact_text(static_cast<double>(labels[wrong])) + " at position " + std::to_string(wrong) +
        ", expected a whole number from 0 to " + std::to_string(Classes - 1) +
        "; give each step or pixel its class, or one that the loss ignores: WeightedCrossEntropyLoss has ignore_index");
  }

  template <class T, class S, class U, class... Weights>
  auto operator()(const TensorView<T, S>& y, const TensorView<U, Positions>& labels, const Weights&... weights) const {
    const TensorView<const U, Positions> rows = labels;
    std::vector<double> row(target_size);
    for (std::size_t i = 0; i < rows.rows; ++i) {
      copy_row(rows, i, row.data());
      check_labels(i, row.data());
    }
    return detail::OnTensors<PerPosition>{*this}(y, labels, weights...);
  }
  // The same for tensors.
  template <class T, class S, class Labels, class... Weights>
  auto operator()(const Tensor<T, S>& y, const Labels& labels, const Weights&... weights) const {
    return (*this)(y.view(), labels, weights...);
  }
  template <class T, class S, class U, class... Weights>
  auto operator()(const TensorView<T, S>& y, const Tensor<U, Positions>& labels, const Weights&... weights) const {
    return (*this)(y, labels.view(), weights...);
  }

 private:
  /// The scores of position p one after another: in y, or copied to `room`.
  static constexpr int room_size = Order == ClassOrder::classes_last ? 1 : Classes;
  template <class V>
  SINTER_FN static const V* scores_at(const V* y, int p, [[maybe_unused]] V* room) {
    if constexpr (Order == ClassOrder::classes_last) {
      return y + p * Classes;
    } else {
      for (int c = 0; c < Classes; ++c) room[c] = y[c * target_size + p];
      return room;
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
