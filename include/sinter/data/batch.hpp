// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>

#include "sinter/core/pack.hpp"
#include "sinter/core/tensor.hpp"
#include "sinter/data/dataset.hpp"
#include "sinter/data/joined_rows.hpp"
#include "sinter/data/normalize.hpp"

SINTER_NAMESPACE_BEGIN

/// Which rows of a dataset make a batch: row i is rows[i], or simply first + i where `rows` is null.
struct RowChoice {
  const std::uint32_t* rows = nullptr;
  std::size_t first = 0;
  std::size_t operator[](std::size_t i) const { return rows ? rows[i] : first + i; }
};

/// The inputs of a batch, in place, and how they are scaled on loading.
template <class View>
  requires(InputRows<View> || detail::is_joined<View>)
struct BatchInputs {
  View view;
  RowChoice choice{};
  Normalize normalize{};
};

/// The targets of a batch: label(i) of classes, copy_row(i, to) of rows to be matched.
template <class Targets>
struct BatchTargets;
template <class Label>
struct BatchTargets<std::span<const Label>> {
  using Targets = std::span<const Label>;
  Targets labels;
  RowChoice choice{};
  std::int64_t label(std::size_t i) const { return static_cast<std::int64_t>(labels[choice[i]]); }
};
template <class Label, class Memory>
struct BatchTargets<LabelView<Label, Memory>> {
  using Targets = LabelView<Label, Memory>;
  Targets labels;
  RowChoice choice{};
};
template <class T, class S, class Memory>
struct BatchTargets<TensorView<const T, S, Memory>> {
  using Targets = TensorView<const T, S, Memory>;
  Targets view;
  RowChoice choice{};
  Normalize normalize{};  // of integers, as of the inputs
  template <class To>
  void copy_row(std::size_t i, To* to) const {
    internal::copy_row(view, choice[i], to);
    if constexpr (needs_scale<T>)
      for (int k = 0; k < S::size; ++k)
        to[k] = fn::fma(to[k], static_cast<To>(normalize.scale), static_cast<To>(normalize.shift));
  }
};

/// The same with a weight for each row: weight(i).
template <class Targets, class Weights>
struct WeighedTargets : BatchTargets<Targets> {
  Weights weights;
  WeighedTargets(const BatchTargets<Targets>& targets, Weights weights_)
      : BatchTargets<Targets>(targets), weights(weights_) {}
  double weight(std::size_t i) const { return static_cast<double>(weights[this->choice[i]]); }
};
template <class Targets>
concept HasRowWeights = requires(const Targets& targets) { targets.weight(std::size_t{}); };
/// The weight of a row, 1 unless given.
template <class T, class Targets>
T row_weight([[maybe_unused]] const Targets& targets, [[maybe_unused]] std::size_t row) {
  if constexpr (HasRowWeights<Targets>)
    return static_cast<T>(targets.weight(row));
  else
    return T(1);
}

/// The targets of rows of a dataset: of all, in order, unless chosen. Targets that are integers are scaled like its
/// inputs.
template <Dataset D>
auto batch_targets(const D& data, RowChoice choice = {}) {
  BatchTargets<targets_of<D>> targets{data.targets(), choice};
  if constexpr (!has_labels<D>) targets.normalize = normalize_of(data);
  if constexpr (HasWeights<D>)
    return WeighedTargets(targets, data.weights());
  else
    return targets;
}

SINTER_NAMESPACE_END
