// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>

#include "sinter/core/finite.hpp"
#include "sinter/fn/apply.hpp"
#include "sinter/kernels/gpu/executor.hpp"
#include "sinter/kernels/gpu/memory.hpp"
#include "sinter/ops/mask_key.hpp"

SINTER_NAMESPACE_BEGIN

namespace gpu_kernels {
using fn::fma, fn::product, fn::select;

/// The samples that a team works on, and the addresses of their data. Records are [rows][Record::size]. About
/// `ExpectedRows` are expected: this decides how much an item does, but changes results only by rounding.
template <class X, class M, class Number, bool Train, bool InputGradient, int ExpectedRows,
          CudaProducts Products = CudaProducts::float32>
struct Tile {
  using Model = M;
  using T = Number;
  using Memory = TeamMemory<Model, T, Train, ExpectedRows>;
  using Record = typename Memory::Record;
  static constexpr bool training = Train, input_gradient = InputGradient;
  static constexpr int expected_rows = ExpectedRows;
  static constexpr CudaProducts products = Products;
  static constexpr bool stages_weights = Memory::staged > 0;
  static constexpr bool cut = cut_of<Model, Train>;
  template <int S>
  using At = Geometry<Model, S, cut>;

  int rows;   // in the tile
  int first;  // its first row in the batch
  T scale;    // of the sum of the losses
  typename X::template Pointer<T> records;
  typename X::template Pointer<const T> parameters;
  typename X::template Pointer<T> gradient;            // laid out as the parameters are
  typename X::template Pointer<T> staged;              // weights of convolutions, as Staged says
  typename X::template Pointer<T> partials;            // parts of sums that the next phase adds up
  bool adds;                                           // to the existing gradient; else it overwrites
  typename X::template Pointer<T> to_input;            // the gradient of the input, [batch][input]
  typename X::template Pointer<std::uint32_t> chosen;  // of each row of the tile: its number in the dataset
  bool* large;  // of a thread of the plan pair: whether it saw a number so large that a sum of slots may not be finite

  typename X::template Pointer<T> statistics;  // the buffers after this batch, if they are kept
  bool keeps_statistics;
  bool follows_statistics;  // of an earlier batch, rather than the network's

  typename X::template Pointer<T> states_before;  // of recurrences, as Carried has them, from the first row on
  typename X::template Pointer<T> states_after;
  bool follows_states, keeps_states;  // whether the rows begin with those before; whether they leave any

  static constexpr bool looks = Train && ExpectedRows == Expected::tile;
  SINTER_FN void look_at(const T& number) const {
    if constexpr (looks) *large |= is_large(number);
  }
  SINTER_FN void add_gradient(int place, T sum) const {
    const auto to = gradient + place;
    if (adds) sum = T(to[0]) + sum;
    look_at(sum);
    to[0] = sum;
  }
  SINTER_FN typename X::template Pointer<T> record(int row) const {
    return records + static_cast<std::ptrdiff_t>(row) * Record::size;
  }
};

}  // namespace gpu_kernels

SINTER_NAMESPACE_END
