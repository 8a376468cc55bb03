// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>

#include "sinter/core/error.hpp"
#include "sinter/core/math.hpp"
#include "sinter/core/number_text.hpp"
#include "sinter/core/predicted_class.hpp"
#include "sinter/loss/evaluate_loss.hpp"
#include "sinter/loss/target.hpp"
#include "sinter/loss/target_range.hpp"
#include "sinter/loss/weight.hpp"

SINTER_NAMESPACE_BEGIN

/// A loss that counts `weight` times, as one of several: 0.5 * MSELoss{}.
template <class Loss>
struct WeightedLoss {
  Loss loss{};
  double weight = 1;
};
/// A loss with a weight: 0.5 * MSELoss{}.
template <class Loss, class = typename Loss::Target>
constexpr WeightedLoss<Loss> operator*(double weight, const Loss& loss) {
  return {loss, weight};
}

namespace detail {
/// How many targets a loss has of a head with `size` outputs: a label, that of each position, or a number for each.
template <class Loss>
SINTER_HOST_DEVICE constexpr int targets_of_head([[maybe_unused]] int size) {
  if constexpr (std::is_same_v<typename Loss::Target, ClassTarget>)
    return 1;
  else if constexpr (LabelsPositions<Loss>)
    return Loss::target_size;
  else
    return size;
}
template <class Loss>
inline constexpr bool weighs_positions = [] {
  if constexpr (LabelsPositions<Loss>)
    return Loss::weighs_heads;
  else
    return false;
}();

/// `position` is -1 where a row has one label.
[[noreturn]] SINTER_COLD inline void fail_label_of_head(std::size_t row, int head, int position, double label,
                                                        int classes) {
  fail("row " + std::to_string(row) + " of the targets has the class " + exact_text(label) + " for head " +
       std::to_string(head) + (position < 0 ? "" : " at position " + std::to_string(position)) +
       ", expected a whole number from 0 to " + std::to_string(classes - 1) +
       "; give each head its targets, in the order of the heads");
}
}  // namespace detail

/// The loss of one output of several: of the numbers [First, First + Size) of a row, against its targets from number
/// Wanted on in the row of targets: the number of a class, those of its positions, or Size numbers.
template <int First, int Size, int Wanted, class Loss>
struct HeadLoss : WeightedLoss<Loss> {
  static constexpr bool classes = std::is_same_v<typename Loss::Target, ClassTarget>;
  static constexpr bool positions = detail::LabelsPositions<Loss>;
  static constexpr int first = First, size = Size, wanted = Wanted, target_size = detail::targets_of_head<Loss>(Size);
  static constexpr bool weighs = WeighsClasses<Loss> || detail::weighs_positions<Loss>;
  /// Of each label; 0 without labels.
  static constexpr int class_count = [] {
    if constexpr (positions)
      return Loss::classes_of_position;
    else
      return classes ? Size : 0;
  }();
  using Alone = Loss;
  double share = 1;  // of a row in the mean of this head, where another one divides the sum: see HeadLosses::for_rows

  template <class V>
  SINTER_FN static auto target_of(const V* target) {
    if constexpr (classes)
      return target[Wanted];
    else
      return target + Wanted;
  }
  /// Without its weight.
  template <class V>
  SINTER_FN V forward(const V* y, const V* target) const {
    return this->loss.forward(y + First, Size, target_of(target));
  }
  template <class V>
  SINTER_FN void backward(const V* y, const V* target, V scale, V* dy) const {
    this->loss.backward(y + First, Size, target_of(target), fn::product(fn::constant<V>(this->weight * share), scale),
                        dy + First);
  }
  /// The weight of a row with these targets, without its own weight.
  template <class T>
  constexpr double counts([[maybe_unused]] const T* target) const {
    if constexpr (positions && weighs)
      return this->loss.weight_of_row(target + Wanted);
    else if constexpr (weighs)
      return this->loss.weight_of(static_cast<std::int64_t>(target[Wanted]));
    else
      return 1;
  }
  /// How many labels of a row count, those left out that the loss ignores, and for how many of them the largest output
  /// is at the label.
  struct Judged {
    int labels = 0, right = 0;
  };
  template <class T>
  Judged judge([[maybe_unused]] const T* y, [[maybe_unused]] const T* target) const {
    Judged of_row;
    if constexpr (positions) {
      for (int p = 0; p < target_size; ++p)
        if (!this->loss.leaves_out(target[Wanted + p])) {
          ++of_row.labels;
          of_row.right += this->loss.is_right_at(p, y + First, target + Wanted);
        }
    } else if constexpr (classes) {
      if (!leaves_out(target[Wanted]))
        of_row = {1, predicted_class(y + First, Size) == static_cast<int>(target[Wanted])};
    }
    return of_row;
  }
  /// The first target of the head that should be a class, but is neither one nor ignored; -1 if there is none.
  template <class T>
  constexpr int first_wrong([[maybe_unused]] const T* target) const {
    if constexpr (positions) {
      return this->loss.first_wrong(target + Wanted);
    } else if constexpr (classes) {
      const T label = target[Wanted];
      const bool is_class = label >= T(0) && label < T(Size) && label == static_cast<T>(static_cast<int>(label));
      return is_class || leaves_out(label) ? -1 : 0;
    } else {
      return -1;
    }
  }
  /// Whether the loss ignores a row with this label.
  template <class T>
  constexpr bool leaves_out([[maybe_unused]] T label) const {
    if constexpr (requires { this->loss.ignore_index; })
      return label == static_cast<T>(this->loss.ignore_index);
    else
      return false;
  }
  void check() const {
    detail::check_options(this->loss);
    detail::require_weight_option(Loss::name, "weight", this->weight);
  }
};

/// The loss of one head as that of a whole row, against the targets of all heads.
template <class Head, int Targets>
struct OneHead {
  Head head{};

  using Target = RowTarget;
  static constexpr const char* name = "OneHead";
  static constexpr int target_size = Targets;

  template <class V>
  SINTER_FN V forward(const V* y, int, const V* target) const {
    return head.forward(y, target);
  }
  /// Whether the largest output is at the label.
  template <class V>
    requires Head::classes
  SINTER_FN bool is_right(const V* y, const V* target) const {
    return predicted_class(y + Head::first, Head::size) == static_cast<int>(target[Head::wanted]);
  }
};

/// The losses of the outputs of a network that ends in Heads: L = sum_h weight_h L_h. A row of targets has for each
/// head the number of a class, those of its positions, or a number for each of its own. L_h of a batch is the mean over
/// its rows, or, where that loss has weights of classes, its sum divided by the weights of the labels of head h. Made
/// by head_losses<Net>(..).
template <class... Heads>
struct HeadLosses : Heads..., EvaluateLoss<HeadLosses<Heads...>> {
  using Target = RowTarget;
  static constexpr const char* name = "HeadLosses";
  static constexpr int count = sizeof...(Heads), target_size = (0 + ... + Heads::target_size),
                       outputs = (0 + ... + Heads::size);
  static constexpr bool weighs_heads = (false || ... || Heads::weighs),
                        labels_positions = (false || ... || Heads::positions);

  constexpr HeadLosses() = default;
  constexpr explicit HeadLosses(const Heads&... heads)
    requires(sizeof...(Heads) > 0)
      : Heads(heads)... {}

  template <class V>
  SINTER_FN V forward(const V* y, int, const V* target) const {
    V each[count > 0 ? count : 1];
    return forward_each(y, target, each);
  }
  /// The same, and the row's loss of each head, without its weight: each[count].
  template <class V>
  SINTER_FN V forward_each(const V* y, const V* target, V* each) const {
    V total = V(0);
    (add_head<Heads>(y, target, each++, total), ...);
    return total;
  }
  template <class V>
  SINTER_FN void backward(const V* y, int, const V* target, V scale, V* dy) const {
    (head<Heads>().backward(y, target, scale, dy), ...);
  }
  template <class Head>
  SINTER_FN const Head& head() const {
    return *this;
  }
  /// each(number, head) for all of them.
  template <class Each>
  constexpr void for_each(Each&& each) const {
    int number = 0;
    (each(number++, head<Heads>()), ...);
  }
  /// each(number, loss of that head) for all heads.
  template <class Each>
  constexpr void for_each_alone(Each&& each) const {
    for_each([&]<class Head>(int number, const Head& one) { each(number, OneHead<Head, target_size>{one}); });
  }
  /// For rows [0, rows) whose sum will be divided by the sum of weight_of(row): the share of a head whose loss has
  /// class weights corrects for not being divided by those.
  template <class TargetOf, class WeightOf>
  HeadLosses for_rows(std::size_t rows, TargetOf&& target_of, WeightOf&& weight_of) const {
    HeadLosses own = *this;
    const auto divide = [&]<class Head>(Head& head) {
      if constexpr (Head::weighs) {
        double all = 0, counted = 0;
        for (std::size_t row = 0; row < rows; ++row) {
          const double weight = weight_of(row);
          all += weight;
          counted += weight * head.counts(target_of(row));
        }
        head.share = counted > 0 ? all / counted : 0;
      }
    };
    (divide(static_cast<Heads&>(own)), ...);
    return own;
  }
  template <class Each>
  void for_each_option(Each&& each) const {
    for_each([&](int number, const auto& one) {
      const std::string head = "head" + std::to_string(number);
      each(head, one.loss);
      each(head + ".weight", one.weight);
    });
  }
  void check() const {
    for_each([](int, const auto& one) { one.check(); });
  }
  /// Fails if row number `row` of the targets has a label that is not a class, nor one that its head ignores, or a
  /// number that its head does not compare with.
  SINTER_COLD void check_targets(std::size_t row, const double* targets) const {
    for_each([&](int number, const auto& head) {
      if (const int wrong = head.first_wrong(targets); wrong >= 0)
        detail::fail_label_of_head(row, number, head.positions ? wrong : -1, targets[head.wanted + wrong],
                                   head.class_count);
      for (int k = head.wanted; k < head.wanted + head.target_size; ++k)
        detail::check_target(head.loss, row, k, targets[k]);
    });
  }

 private:
  template <class Head, class V>
  SINTER_FN void add_head(const V* y, const V* target, V* own, V& total) const {
    const V loss = head<Head>().forward(y, target);
    *own = Head::weighs ? fn::product(fn::constant<V>(head<Head>().share), loss) : loss;
    total += fn::product(fn::constant<V>(head<Head>().weight * head<Head>().share), loss);
  }
};

namespace detail {
template <class... Heads, int N>
inline constexpr bool fits_outputs<HeadLosses<Heads...>, N> =
    HeadLosses<Heads...>::outputs == N && (true && ... && fits_outputs<typename Heads::Alone, Heads::size>);
}  // namespace detail

SINTER_NAMESPACE_END

namespace sinter {
using internal::operator*;  // for losses of your own: those of the library are found without
using internal::HeadLosses;
}  // namespace sinter
