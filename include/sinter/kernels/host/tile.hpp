// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "sinter/core/pack.hpp"
#include "sinter/core/unroll.hpp"
#include "sinter/kernels/host/memory.hpp"

SINTER_NAMESPACE_BEGIN

namespace host_kernels {
using fn::add, fn::bit_cast, fn::convert, fn::fma, fn::keep, fn::product, fn::select, fn::shuffle, fn::sum;

/// A tile at work: one pack of samples, its memory, and what the kernels read and write besides.
template <class P, bool IsTraining>
struct Tile {
  using Plan = P;
  using T = typename P::Scalar;
  using V = typename P::V;
  static constexpr bool training = IsTraining, input_gradient = IsTraining && P::with_input_gradient;
  static constexpr auto memory_plan = Layout<P>::lay_out(training);
  static constexpr int lanes = P::lanes;

  T* memory = nullptr;
  const T* parameters = nullptr;
  T* gradient = nullptr;  // the slot that this tile adds to

  SINTER_INLINE T* at(int pack) const { return memory + static_cast<std::ptrdiff_t>(pack) * lanes; }
  SINTER_INLINE V load(int pack) const { return V::load(at(pack)); }
  SINTER_INLINE void store(int pack, V v) const { v.store(at(pack)); }
  SINTER_INLINE const T* parameter(int i) const { return parameters + P::parameter(i).offset; }
  SINTER_INLINE T* parameter_gradient(int i) const { return gradient + P::parameter(i).offset; }

  static constexpr Place output(int s) { return s < 0 ? memory_plan.input : memory_plan.output[index(s)]; }
  static constexpr Place gradient_of(int s) { return memory_plan.gradient[index(s)]; }
  static constexpr Place saved(int i) { return memory_plan.saved[index(i)]; }
  static constexpr Place mask(int i) { return memory_plan.mask[index(i)]; }

  SINTER_INLINE std::uint8_t* argmax(int op, int element) const {
    return reinterpret_cast<std::uint8_t*>(at(memory_plan.argmax[index(op)].offset)) + element * lanes;
  }
  T* scratch() const { return at(memory_plan.scratch); }
  T* rows() const { return at(memory_plan.rows); }

 private:
  static constexpr std::size_t index(int i) { return static_cast<std::size_t>(i); }
};

template <class Tile>
using T_of = typename Tile::T;

/// Position of an element of an image, or {feature, 0, 0}.
struct Position {
  int channel, y, x;
  SINTER_INLINE constexpr int within(Dims dims) const { return (channel * dims.height + y) * dims.width + x; }
};

}  // namespace host_kernels

SINTER_NAMESPACE_END
