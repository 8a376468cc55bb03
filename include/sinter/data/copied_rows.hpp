// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>
#include <type_traits>
#include <vector>

#include "sinter/data/dataset.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {
template <class View>
struct CopiedTarget {
  using Type = std::remove_const_t<typename View::Value>;
  static constexpr std::size_t size = static_cast<std::size_t>(View::Shape::size);
};
template <class Label>
struct CopiedTarget<std::span<const Label>> {
  using Type = Label;
  static constexpr std::size_t size = 1;
};
}  // namespace detail

/// Copies of rows of a dataset in the memory of the host, with their targets.
template <Dataset D>
class CopiedRows {
  using Row = typename inputs_of<D>::Shape;
  using Target = detail::CopiedTarget<targets_of<D>>;
  static constexpr std::size_t row_size = static_cast<std::size_t>(Row::size);

 public:
  using Number = std::remove_const_t<typename inputs_of<D>::Value>;

  void resize(std::size_t rows) {
    inputs_.resize(rows * row_size);
    targets_.resize(rows * Target::size);
  }
  /// Makes `copy`, below size(), a copy of row `row` of `data`.
  void copy(const D& data, std::size_t row, std::size_t copy) {
    copy_row(data.inputs(), row, inputs_.data() + copy * row_size);
    if constexpr (has_labels<D>)
      targets_[copy] = data.targets()[row];
    else
      copy_row(data.targets(), row, targets_.data() + copy * Target::size);
  }

  std::size_t size() const { return inputs_.size() / row_size; }
  TensorView<const Number, Row> inputs() const { return {inputs_.data(), size()}; }
  TensorView<Number, Row> mutable_inputs() { return {inputs_.data(), size()}; }
  targets_of<D> targets() const { return {targets_.data(), size()}; }

 private:
  std::vector<Number> inputs_;
  std::vector<typename Target::Type> targets_;
};

SINTER_NAMESPACE_END
