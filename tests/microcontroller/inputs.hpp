// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>

/// The same numbers on every machine, others for each `step`.
template <class Model, std::size_t rows = 1>
constexpr auto input(std::size_t step = 0) {
  std::array<float, rows* static_cast<std::size_t>(Model::InputRow::size)> x{};
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>((i * 37 + step * 13) % 101) / 64 - 0.75f;
  return x;
}

/// Rows of the networks in 8 bits.
inline constexpr std::size_t input_rows = 8;

/// What is learned on the machine: steps of a number of rows, whose class depends on their first number.
inline constexpr std::size_t training_steps = 60, training_rows = 8;
template <std::size_t numbers>
constexpr std::array<int, training_rows> labels_of(const std::array<float, numbers>& x) {
  std::array<int, training_rows> labels{};
  for (std::size_t i = 0; i < training_rows; ++i) labels[i] = x[i * (numbers / training_rows)] > 0 ? 4 : 1;
  return labels;
}
