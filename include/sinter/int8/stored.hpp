// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "sinter/data/normalize.hpp"
#include "sinter/int8/fixed_point.hpp"
#include "sinter/int8/input.hpp"
#include "sinter/int8/weights.hpp"
#include "sinter/network/fingerprint.hpp"

SINTER_NAMESPACE_BEGIN

/// All constants of a quantized network as one constant of a program, which export_header() writes: bytes of weights,
/// numbers of 32 bits, bytes of tables, ops and values. `Layout` is int8::layout_version where it was written.
template <std::uint64_t Fingerprint, std::size_t Layout, std::size_t Bytes, std::size_t Numbers, std::size_t TableBytes,
          std::size_t Ops, std::size_t Values>
struct StoredQuantized {
  alignas(16) std::array<std::int8_t, Bytes> weights;
  std::array<std::int32_t, Numbers> numbers;
  std::array<std::uint8_t, TableBytes> tables;
  std::array<int8::OpNumbers, Ops> ops;
  std::array<int8::Quantization, Values> values;
  int8::InputTable inputs;

  constexpr const int8::Quantization& of(int value) const { return values[static_cast<std::size_t>(value)]; }
  constexpr const std::int8_t* products() const { return weights.data(); }
  constexpr const int8::InputTable& input(const Normalize&) const { return inputs; }
};

namespace int8 {

/// The one of a model.
template <class Model>
using StoredOf = StoredQuantized<
    fingerprint<Model>, layout_version, Weights<Model>::count(Layout<Model>::all.end.weights),
    Weights<Model>::count(Layout<Model>::all.end.numbers), Weights<Model>::count(Layout<Model>::all.end.table),
    Weights<Model>::count(Program<Model>::op_count), Weights<Model>::count(Program<Model>::value_count)>;

}  // namespace int8

SINTER_NAMESPACE_END

namespace sinter {
using internal::StoredQuantized;
}  // namespace sinter
