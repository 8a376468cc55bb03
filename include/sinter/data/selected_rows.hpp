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

#include "sinter/data/check.hpp"
#include "sinter/data/copied_rows.hpp"
#include "sinter/data/dataset.hpp"

SINTER_NAMESPACE_BEGIN

/// Numbers of rows: any range of integers.
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
  static_assert(std::is_same_v<typename inputs_of<D>::Space, HostMemory>,
                "sinter: subset() copies rows in the memory of the host, and these are elsewhere");
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
    check_size(data);
    copies_.resize(rows.size());
    std::size_t i = 0;
    for (const auto number : rows) {
      if (std::cmp_less(number, 0) || std::cmp_greater_equal(number, data.size()))
        fail("row " + std::to_string(number) + " of a dataset of " + std::to_string(data.size()) +
             " rows was asked for; rows are numbered from 0");
      const std::size_t row = static_cast<std::size_t>(number);
      copies_.copy(data, row, i++);
      if constexpr (HasWeights<D>) weights_.push_back(data.weights()[row]);
    }
  }

  std::size_t size() const { return copies_.size(); }
  inputs_of<CopiedRows<D>> inputs() const { return copies_.inputs(); }
  /// The inputs, to be changed in place.
  auto mutable_inputs() { return copies_.mutable_inputs(); }
  targets_of<D> targets() const { return copies_.targets(); }
  Normalize normalize() const { return normalize_; }
  std::span<const Weight> weights() const
    requires HasWeights<D>
  {
    return weights_;
  }

 private:
  CopiedRows<D> copies_;
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
