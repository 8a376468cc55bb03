// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "sinter/core/pack.hpp"
#include "sinter/core/pack_keep.hpp"
#include "sinter/core/unroll.hpp"
#include "sinter/kernels/host/plan/batch_memory.hpp"
#include "sinter/kernels/host/plan/memory.hpp"
#include "sinter/kernels/host/plan/packed_parameters.hpp"
#include "sinter/kernels/host/plan/slot_places.hpp"

SINTER_NAMESPACE_BEGIN

namespace host_kernels {
using fn::add, fn::bit_cast, fn::convert, fn::fma, fn::keep, fn::product, fn::select, fn::shuffle, fn::sum;

/// Functions, losses and copies of rows of fewer numbers are compiled for their length; models share the others.
inline constexpr int least_shared_row = 8;

/// A tile that is being computed: one pack of samples, its memory, and what else the kernels read and write. If its
/// plan has an input gradient, the tile may still leave it out.
/// Kernels that store each few sums take it by value: what a reference leads to is loaded again after every store.
template <class P, bool IsTraining, bool WithInputGradient = IsTraining && P::with_input_gradient>
struct Tile {
  using Plan = P;
  using T = typename P::Scalar;
  using V = typename P::V;
  using Values = BatchMemory<typename P::Cut::Model>;
  using Packed = PackedParameters<P, IsTraining>;
  static constexpr bool training = IsTraining, input_gradient = WithInputGradient;
  static constexpr auto memory_plan = Layout<P>::lay_out(training);
  static constexpr int lanes = P::lanes;

  T* memory = nullptr;
  const T* parameters = nullptr;
  T* gradient = nullptr;             // the slot that this tile adds to
  const T* packed = nullptr;         // parameters, as in PackedParameters
  const T* batch = nullptr;          // as in BatchMemory
  double* partial = nullptr;         // this tile's sums
  T* operands = nullptr;             // kept for the weights' gradients of the batch
  int rows = lanes;                  // further lanes hold the last row again
  const T* states_before = nullptr;  // of its recurrences, see CarriedNumbers; null if nothing is carried
  T* states_after = nullptr;

  SINTER_INLINE typename V::Mask real_lanes() const {
    V lane(0);
    for (int i = 0; i < lanes; ++i) lane.set(i, static_cast<T>(i));
    return lane < V(static_cast<T>(rows));
  }

  SINTER_INLINE T* at(Spot spot) const { return memory + static_cast<std::ptrdiff_t>(spot.offset) * lanes; }
  SINTER_INLINE V load(Spot spot) const { return V::load(at(spot)); }
  SINTER_INLINE void store(Spot spot, V v) const { v.store(at(spot)); }
  SINTER_INLINE const T* parameter(int i) const { return parameters + P::parameter(i).offset; }
  SINTER_INLINE T* parameter_gradient(int i) const { return gradient + slot_places<P>[index(i)]; }
  /// The weight of stage s as its kernel reads it, forward or back.
  SINTER_INLINE const T* packed_weight(int s, bool back) const {
    return packed + Packed::begin(Packed::number(s, back));
  }

  static constexpr Place value(int v) { return memory_plan.value[index(v)]; }
  static constexpr Place input(int s) { return value(P::stage(s).input); }
  static constexpr Place output(int s) { return value(P::stage(s).output); }
  static constexpr Place gradient_of(int s) { return memory_plan.gradient[index(s)]; }
  /// The stored gradient of a read of a value, which waits for those of other readers.
  static constexpr Place read_gradient(int read) { return memory_plan.read_gradient[index(read)]; }
  static constexpr Place saved(int i) { return memory_plan.saved[index(i)]; }
  static constexpr Place mask(int i) { return memory_plan.mask[index(i)]; }
  static constexpr Place argmax(int i) { return memory_plan.argmax[index(i)]; }
  static constexpr Place place(const Reference& r) {
    switch (r.role) {
      case Role::value:
        return value(r.id);
      case Role::gradient:
        return gradient_of(r.id);
      case Role::read_gradient:
        return read_gradient(r.id);
      case Role::saved:
        return saved(r.id);
      case Role::mask:
        return mask(r.id);
      case Role::argmax:
        return argmax(r.id);
      default:
        return {};  // not in the memory of a tile
    }
  }
  /// The offset of something that a kernel refers to, in elements of its array.
  static constexpr int offset(const Reference& r) {
    switch (r.role) {
      case Role::parameter:
        return P::parameter(r.id).offset;
      case Role::parameter_gradient:
        return slot_places<P>[index(r.id)];
      case Role::packed:
        return Packed::begin(r.id);
      case Role::of_batch:
        return Values::at(r.id, Values::mean);
      case Role::partial:
        return Values::partial_at(r.id);
      default:
        return place(r).offset * lanes;
    }
  }

  /// The byte of each lane for an element, of those at a place.
  SINTER_INLINE std::uint8_t* bytes(Place place, int element) const {
    return reinterpret_cast<std::uint8_t*>(at(place.begin())) + element * lanes;
  }
  /// Numbers of a normalize op, see BatchMemory.
  SINTER_INLINE const T* of_batch(int normalize, typename Values::Row row) const {
    return batch + Values::at(normalize, row);
  }
  SINTER_INLINE double* partial_of(int normalize) const { return partial + Values::partial_at(normalize); }
  T* scratch() const { return at(memory_plan.scratch.begin()); }
  T* input_rows() const { return at(memory_plan.rows.begin()); }

 private:
  static constexpr std::size_t index(int i) { return static_cast<std::size_t>(i); }
};

template <class Tile>
using T_of = typename Tile::T;

/// The input of stage S as packs in row-major order: in place, or without its border in the scratch memory.
template <class Tile, int S>
SINTER_INLINE T_of<Tile>* flat_input(const Tile& tile) {
  constexpr Place in = Tile::input(S);
  if constexpr (!in.bordered()) {
    return tile.at(in.begin());
  } else {
    T_of<Tile>* to = tile.scratch();
    for (int c = 0; c < in.dims.channels; ++c)
      for (int y = 0; y < in.dims.height; ++y)
        for (int x = 0; x < in.dims.width; ++x, to += Tile::lanes) tile.load(in.at(c, y, x)).store(to);
    return tile.scratch();
  }
}

/// Position of an element of an image, or {feature, 0, 0}.
struct Position {
  int channel, y, x;
  /// The position of element `feature` in row-major order.
  SINTER_INLINE static constexpr Position of(int feature, Dims dims) {
    if (dims.rank == 1) return {feature, 0, 0};
    return {feature / dims.pixels(), feature % dims.pixels() / dims.width, feature % dims.width};
  }
  SINTER_INLINE constexpr int within(Dims dims) const { return (channel * dims.height + y) * dims.width + x; }
};

}  // namespace host_kernels

SINTER_NAMESPACE_END
