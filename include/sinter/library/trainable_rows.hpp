// SPDX-License-Identifier: MIT
#pragma once

#include <climits>
#include <span>
#include <string>
#include <type_traits>

#include "sinter/data/dataset.hpp"
#include "sinter/library/trainable.hpp"
#include "sinter/loss/target.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {

/// Fails at a number of rows that no machine has memory for: -1 is a large one.
template <class Model>
void check_row_count(std::size_t count) {
  if (count > PTRDIFF_MAX / sizeof(float) / (Model::InputRow::size + Model::OutputRow::size))
    fail("the number of rows was given as " + std::to_string(count) + ", which no machine has memory for");
}

/// Rows as the dataset that a loss learns from; a weight for each row is another type.
template <class Model, class Loss>
struct TrainableRows {
  static constexpr bool labels = std::is_same_v<typename Loss::Target, ClassTarget>;
  using Inputs = TensorView<const float, typename Model::InputRow>;
  using Targets =
      std::conditional_t<labels, std::span<const std::int32_t>, TensorView<const float, typename Model::OutputRow>>;
  using Plain = DataView<Inputs, Targets>;
  using Weighted = DataView<Inputs, Targets, std::span<const float>>;

  static Plain plain(const sinter_trainable::Rows& rows) { return {inputs_of(rows), targets_of(rows)}; }
  static Weighted weighted(const sinter_trainable::Rows& rows) {
    return {inputs_of(rows), targets_of(rows), {}, {rows.weights, rows.count}};
  }

 private:
  static Inputs inputs_of(const sinter_trainable::Rows& rows) {
    check_row_count<Model>(rows.count);
    if (rows.count > 0 && rows.inputs == nullptr) fail("rows without inputs were given; set their address");
    return {rows.inputs, rows.count};
  }
  static Targets targets_of(const sinter_trainable::Rows& rows) {
    if (rows.count > 0 && (rows.labels != nullptr) != labels)
      fail(labels ? "this loss compares with labels, and none were given; set labels, and leave targets NULL"
                  : "this loss compares with rows of targets, and labels were given; set targets alone");
    if (rows.count > 0 && (rows.targets != nullptr) == labels)
      fail(labels ? "labels and targets were given; this loss compares with labels alone"
                  : "this loss compares with rows of targets, and none were given; set their address");
    if constexpr (labels)
      return {rows.labels, rows.count};
    else
      return {rows.targets, rows.count};
  }
};

}  // namespace detail

SINTER_NAMESPACE_END
