// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "sinter/data/dataset.hpp"

SINTER_NAMESPACE_BEGIN

/// A dataset that owns a copy of chosen rows of another, with their targets and weights, scaled as they were.
template <Dataset D>
class SelectedRows {
  using Row = typename inputs_of<D>::Shape;
  using Number = std::remove_const_t<typename inputs_of<D>::Value>;
  static_assert(std::is_same_v<typename inputs_of<D>::Space, HostMemory>,
                "sinter: subset() copies rows in the memory of the host, and these are elsewhere");
  template <class View>
  struct TargetOf {
    using Type = std::remove_const_t<typename View::Value>;
    static constexpr std::size_t size = static_cast<std::size_t>(View::Shape::size);
  };
  template <class Label>
  struct TargetOf<std::span<const Label>> {
    using Type = Label;
    static constexpr std::size_t size = 1;
  };
  using Target = TargetOf<targets_of<D>>;
  template <class W>
  struct WeightOf {
    using Type = NoWeights;
  };
  template <class W>
  struct WeightOf<std::span<const W>> {
    using Type = W;
  };
  using Weight = typename WeightOf<decltype(weights_of(std::declval<const D&>()))>::Type;

 public:
  /// Fails at a row that the dataset does not have.
  SelectedRows(const D& data, std::span<const std::uint32_t> rows) : normalize_(normalize_of(data)) {
    constexpr std::size_t n = static_cast<std::size_t>(Row::size);
    inputs_.resize(rows.size() * n);
    targets_.resize(rows.size() * Target::size);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const std::size_t row = rows[i];
      if (row >= data.size())
        fail("row " + std::to_string(row) + " of a dataset of " + std::to_string(data.size()) +
             " rows was asked for; rows are numbered from 0");
      copy_row(data.inputs(), row, inputs_.data() + i * n);
      if constexpr (has_labels<D>)
        targets_[i] = data.targets()[row];
      else
        copy_row(data.targets(), row, targets_.data() + i * Target::size);
      if constexpr (HasWeights<D>) weights_.push_back(data.weights()[row]);
    }
  }

  std::size_t size() const { return inputs_.size() / static_cast<std::size_t>(Row::size); }
  TensorView<const Number, Row> inputs() const { return {inputs_.data(), size()}; }
  /// The inputs, to be changed in place.
  TensorView<Number, Row> mutable_inputs() { return {inputs_.data(), size()}; }
  targets_of<D> targets() const { return {targets_.data(), size()}; }
  Normalize normalize() const { return normalize_; }
  std::span<const Weight> weights() const
    requires HasWeights<D>
  {
    return weights_;
  }

 private:
  std::vector<Number> inputs_;
  std::vector<typename Target::Type> targets_;
  std::vector<Weight> weights_;
  Normalize normalize_;
};

/// The rows of a dataset with these numbers, in this order, as a copy. (Rows one behind another need none:
/// subset(data, first, count).)
template <Dataset D>
SelectedRows<D> subset(const D& data, std::span<const std::uint32_t> rows) {
  return {data, rows};
}

SINTER_NAMESPACE_END

namespace sinter {
using internal::SelectedRows;
using internal::subset;
}  // namespace sinter
