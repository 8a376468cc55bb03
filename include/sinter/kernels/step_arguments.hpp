// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sinter/core/macros.hpp"
#include "sinter/ops/mask_key.hpp"

SINTER_NAMESPACE_BEGIN

/// Rows to train on, and their targets: label(row) or row(row), as the loss requires. `samples` [rows] and `key` key
/// the masks.
template <class Inputs, class Targets>
struct TrainingBatch {
  Inputs inputs;
  std::size_t rows;
  const Targets& targets;
  const std::uint32_t* samples = nullptr;
  MaskKey key{};
};

/// A placeholder for the inputs or targets of a batch that makes only one pass: forward without targets, backward
/// without inputs.
struct NotGiven {};
/// Its only value.
inline constexpr NotGiven not_given{};

/// Where the outputs of a forward pass without backward are written, [rows][output]. No gradient is changed yet.
template <class T>
struct OutputRows {
  T* y;
  static constexpr T fraction = T(0);
};

/// Where the gradient of scale times the sum of a batch's losses goes: it is added to `fraction` of what is in
/// `gradient`, and, where asked for, with respect to the inputs written to `input_gradient` [rows][input].
template <class T, class InputGradient = std::nullptr_t>
struct GradientSum {
  T scale;
  T* gradient;
  InputGradient input_gradient = nullptr;
  T fraction = T(1);                  // 0: overwritten, even if it is not finite
  double* losses_of_heads = nullptr;  // where it is given, it takes the sum of each head's, of a loss that has heads
};

/// The update that an optimizer makes after `step` others. `factors` has one for the rate of each parameter, or is
/// empty: all 1.
template <class Optimizer>
struct UpdateStep {
  const Optimizer& optimizer;
  long step;
  const std::vector<double>& factors;
};

/// The arrays of an update. `state` is the optimizer's, [states][arena_size]; on the host null where the update does
/// not use it.
template <class T>
struct Arenas {
  T *parameters, *gradient, *state;
};

SINTER_NAMESPACE_END
