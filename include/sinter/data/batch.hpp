// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>

#include "sinter/core/tensor.hpp"
#include "sinter/data/dataset.hpp"
#include "sinter/data/normalize.hpp"

SINTER_NAMESPACE_BEGIN

/// Which rows of a dataset make a batch: row i is rows[i], or simply first + i where `rows` is null.
struct RowChoice {
  const std::uint32_t* rows = nullptr;
  std::size_t first = 0;
  std::size_t operator[](std::size_t i) const { return rows ? rows[i] : first + i; }
};

/// The inputs of a batch where they lie, and how they are scaled on loading.
template <InputRows View>
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
  std::span<const Label> labels;
  RowChoice choice{};
  std::int64_t label(std::size_t i) const { return static_cast<std::int64_t>(labels[choice[i]]); }
};
template <class T, class S>
struct BatchTargets<TensorView<const T, S>> {
  TensorView<const T, S> view;
  RowChoice choice{};
  template <class To>
  void copy_row(std::size_t i, To* to) const {
    sinter::copy_row(view, choice[i], to);
  }
};

SINTER_NAMESPACE_END
