// SPDX-License-Identifier: MIT
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "sinter/data/dataset.hpp"

SINTER_NAMESPACE_BEGIN

/// Numbers of rows: anything to be gone through that holds integers.
template <class Rows>
concept RowNumbers = requires(const Rows& rows) {
  { rows.end() } -> std::same_as<decltype(rows.begin())>;
  { rows.size() } -> std::convertible_to<std::size_t>;
  requires std::integral<std::remove_cvref_t<decltype(*rows.begin())>>;
  requires !std::same_as<std::remove_cvref_t<decltype(*rows.begin())>, bool>;
};

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
  template <RowNumbers Rows>
  SelectedRows(const D& data, const Rows& rows) : normalize_(normalize_of(data)) {
    constexpr std::size_t n = static_cast<std::size_t>(Row::size);
    inputs_.resize(rows.size() * n);
    targets_.resize(rows.size() * Target::size);
    std::size_t i = 0;
    for (const auto number : rows) {
      if (std::cmp_less(number, 0) || std::cmp_greater_equal(number, data.size()))
        fail("row " + std::to_string(number) + " of a dataset of " + std::to_string(data.size()) +
             " rows was asked for; rows are numbered from 0");
      const std::size_t row = static_cast<std::size_t>(number);
      copy_row(data.inputs(), row, inputs_.data() + i * n);
      if constexpr (has_labels<D>)
        targets_[i] = data.targets()[row];
      else
        copy_row(data.targets(), row, targets_.data() + i * Target::size);
      if constexpr (HasWeights<D>) weights_.push_back(data.weights()[row]);
      ++i;
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

/// The rows of a dataset with these numbers, integers of any type, in this order, as a copy. (Consecutive rows need
/// none: subset(data, first, count).)
template <Dataset D, class Rows>
SelectedRows<D> subset(const D& data, const Rows& rows) {
  static_assert(RowNumbers<Rows>, "sinter: subset() takes the numbers of rows, as a vector or span of integers");
  if constexpr (RowNumbers<Rows>)
    return {data, rows};
  else
    return {data, std::span<const std::uint32_t>()};
}

SINTER_NAMESPACE_END

namespace sinter {
using internal::SelectedRows;
using internal::subset;
}  // namespace sinter
