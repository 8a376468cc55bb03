// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <type_traits>
#include <vector>

#include "sinter/data/batch.hpp"
#include "sinter/data/check.hpp"
#include "sinter/loss/target_range.hpp"
#include "sinter/loss/weight.hpp"
#include "sinter/train/check.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {

/// Whether the mean over some rows divides by the weights of their classes, which only the host sums up.
template <class Loss>
inline constexpr bool divides_by_classes = WeighsClasses<Loss> || WeighsHeads<Loss>;
/// The same, or by those of the rows. Steps and evaluations are then made batch by batch on every device.
template <class Loss, class D>
inline constexpr bool divides_by_weights = divides_by_classes<Loss> || HasWeights<D>;

/// A loss whose labels of positions have weights.
template <class Loss>
concept WeighsPositions = LabelsPositions<Loss> && WeighsHeads<Loss>;

/// The total weight of rows [0, count) of a batch, and of those `before` them: their number, unless the rows or the
/// loss have weights.
template <class Loss, class Targets>
double weight_of_batch([[maybe_unused]] const Loss& loss, [[maybe_unused]] const Targets& targets, std::size_t count,
                       double before = 0) {
  if constexpr (WeighsClasses<Loss> || WeighsPositions<Loss> || HasRowWeights<Targets>) {
    double total = before;
    [[maybe_unused]] std::vector<double> labels;
    if constexpr (WeighsPositions<Loss>) labels.resize(Loss::target_size);
    for (std::size_t i = 0; i < count; ++i) {
      double weight = row_weight<double>(targets, i);
      if constexpr (WeighsClasses<Loss>) weight *= loss.weight_of(targets.label(i));
      if constexpr (WeighsPositions<Loss>) {
        targets.copy_row(i, labels.data());
        weight *= loss.weight_of_row(labels.data());
      }
      total += weight;
    }
    check_total_weight(total);
    return total;
  } else {
    return before + static_cast<double>(count);
  }
}

/// The loss as it weights rows [0, count) of a batch, whose sum is divided by weight_of_batch.
template <class Loss, class Targets>
decltype(auto) loss_of_batch(const Loss& loss, [[maybe_unused]] const Targets& targets,
                             [[maybe_unused]] std::size_t count) {
  if constexpr (WeighsHeads<Loss> && !LabelsPositions<Loss>) {
    std::array<double, Loss::target_size> target{};
    const auto target_of = [&](std::size_t row) {
      targets.copy_row(row, target.data());
      return static_cast<const double*>(target.data());
    };
    return loss_of_rows(loss, count, target_of, [&](std::size_t row) { return row_weight<double>(targets, row); });
  } else {
    return (loss);
  }
}

/// check_labels that accepts labels that the loss ignores.
template <class Loss, Labels L>
void check_labels_for(const Loss& loss, L labels, int classes) {
  check_labels(labels, classes, "the labels", [&](long long label) { return ignores(loss, label); });
}

/// Checks each number of rows in memory, without a copy of a row.
template <class Loss, class Targets>
void check_target_numbers(const Loss& loss, const Targets& targets) {
  using View = typename Targets::Targets;
  const View rows = targets.view;
  const auto check = [&](std::size_t row, int c, int y, int x) {
    const auto given = rows.row(row)[c * rows.channel_stride + y * rows.height_stride + x * rows.width_stride];
    double number = static_cast<double>(given);
    if constexpr (needs_scale<typename View::Value>)
      number = number * static_cast<double>(targets.normalize.scale) + static_cast<double>(targets.normalize.shift);
    check_target(loss, row, (c * View::Shape::dims.height + y) * View::Shape::dims.width + x, number);
  };
  for (std::size_t row = 0; row < rows.rows; ++row)
    for (int c = 0; c < View::Shape::dims.channels; ++c)
      for (int y = 0; y < View::Shape::dims.height; ++y)
        for (int x = 0; x < View::Shape::dims.width; ++x) check(row, c, y, x);
}

/// Checks the targets of a batch, or of a dataset: labels, those that a loss of several outputs or positions takes from
/// rows of numbers, and numbers where a loss limits them. What is in the memory of a device is not checked.
template <class Loss, class Targets>
void check_targets_for(const Loss& loss, const Targets& targets, [[maybe_unused]] int outputs) {
  if constexpr (Labels<typename Targets::Targets>) {
    check_labels_for(loss, targets.labels, outputs);
  } else if constexpr (std::is_same_v<typename Targets::Targets::Space, HostMemory>) {
    if constexpr (heads_of_loss<Loss> > 0 || LabelsPositions<Loss>) {
      std::vector<double> row(Loss::target_size);
      for (std::size_t i = 0; i < targets.view.rows; ++i) {
        targets.copy_row(i, row.data());
        if constexpr (LabelsPositions<Loss>)
          loss.check_labels(i, row.data());
        else
          loss.check_targets(i, row.data());
      }
    } else if constexpr (LimitsTargets<Loss>) {
      check_target_numbers(loss, targets);
    }
  }
}

}  // namespace detail

SINTER_NAMESPACE_END
