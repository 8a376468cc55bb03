// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "sinter/core/aligned.hpp"
#include "sinter/int8/geometry.hpp"
#include "sinter/int8/input.hpp"

SINTER_NAMESPACE_BEGIN

namespace int8 {

/// The constants of an op in integers: how its sums become 8 bits, and the multipliers of an add, a multiply or a mean.
struct OpNumbers {
  Rescale rescale{};
  std::int32_t first = 0, second = 0;
};

/// All constants of a quantized network: what its outputs depend on, and nothing else.
template <class Model>
struct Weights {
  using Ops = Program<Model>;
  using Places = Layout<Model>;
  static constexpr std::size_t count(int n) { return static_cast<std::size_t>(n); }

  AlignedArray<std::int8_t> weights{count(Places::all.end.weights)};
  AlignedArray<std::int32_t> numbers{count(Places::all.end.numbers)};
  AlignedArray<std::uint8_t> tables{count(Places::all.end.table)};
  std::array<OpNumbers, count(Ops::op_count)> ops{};
  std::array<Quantization, count(Ops::value_count)> values{};

  /// The quantization of a value.
  const Quantization& of(int value) const { return values[count(Plan<Model>::values[count(value)].scale)]; }
  /// Weights of products.
  const std::int8_t* products() const { return weights.data(); }
  /// What makes 8 bits of an input.
  ScaledInput input(const Normalize& normalize) const { return {of(0), Plan<Model>::of_input, normalize}; }
};

}  // namespace int8

SINTER_NAMESPACE_END
