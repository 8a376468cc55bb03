// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/ops/op.hpp"

SINTER_NAMESPACE_BEGIN

/// How number i of `out` numbers is made of `in` numbers x.
enum class IndexRule : unsigned char {
  shift,      // x[i + begin], and 0 outside of x: all of x, a part of it, or x between zeros
  flip,       // x[in - 1 - i]
  reflect,    // x[i + begin], mirrored at the first and the last number
  replicate,  // x[i + begin], and outside of x its first or last number
  nearest,    // x[i in / out], rounded down
  linear,     // between the two nearest; x[k] is in the middle of its share of the length
  aligned,    // between the two nearest; the first and the last number are at the ends of the length
  sum,        // of all x
  mean        // of all x
};

/// One factor of an index map: numbers along an axis, or along one part of it, that are `step` apart. Axis 0 is the
/// channels, 1 the height, 2 the width. So an axis may be taken apart, and another one put together.
struct IndexFactor {
  IndexRule rule = IndexRule::shift;
  int in = 1, out = 1, begin = 0;
  int in_axis = 0, in_step = 1;
  int out_axis = 0, out_step = 1;

  constexpr bool is_identity() const { return rule == IndexRule::shift && begin == 0 && in == out; }
  friend constexpr bool operator==(const IndexFactor&, const IndexFactor&) = default;
};

/// A linear map that gives each number of its output a small weighted sum of numbers of its input, chosen by their
/// positions alone: the product of maps along parts of the axes. Parts are in the order in which they are in the input.
struct IndexMap {
  static constexpr int most = 5;
  IndexFactor factor[most]{};
  int count = 0;
  int rank = 1;   // of the output
  int first = 0;  // channel of the input from which on its positions count

  constexpr Dims out() const {
    int size[3] = {1, 1, 1};
    for (int i = 0; i < count; ++i) size[factor[i].out_axis] *= factor[i].out;
    return {rank, size[0], size[1], size[2]};
  }
  friend constexpr bool operator==(const IndexMap&, const IndexMap&) = default;
};

/// The axis of dimension `dim` as PyTorch counts them: 1 is the channels, -1 the last one. -1 if samples have no such
/// dimension. (Layers refuse 0, the batch, with messages of their own.)
constexpr int axis_of(int rank, int dim) {
  if (dim == 0) return 0;
  if (dim < 0) dim += rank + 1;
  if (dim < 1 || dim > rank) return -1;
  return rank == 2 && dim == 2 ? 2 : dim - 1;
}
template <int... Dimensions>
constexpr bool has_dimensions(Dims in) {
  return (true && ... && (axis_of(in.rank, Dimensions) >= 0));
}
constexpr int size_along(Dims dims, int axis) {
  return axis == 0 ? dims.channels : axis == 1 ? dims.height : dims.width;
}

/// The identity map, with one factor for each axis: the start of other maps.
constexpr IndexMap unchanged(Dims in) {
  IndexMap map;
  map.count = 3;
  map.rank = in.rank;
  for (int axis = 0; axis < 3; ++axis) {
    const int size = size_along(in, axis);
    map.factor[axis] = {IndexRule::shift, size, size, 0, axis, 1, axis, 1};
  }
  return map;
}

/// The map that takes neighbouring numbers of a row as a sample of a shape.
constexpr IndexMap part_of_row(Dims row, int first, Dims part) {
  const int lines = divide_up(row.size() - first, part.pixels());
  IndexMap map;
  map.count = 3;
  map.rank = part.rank;
  map.first = first;
  map.factor[0] = {IndexRule::shift, lines, part.channels, 0, 0, part.pixels(), 0, 1};
  map.factor[1] = {IndexRule::shift, part.height, part.height, 0, 0, part.width, 1, 1};
  map.factor[2] = {IndexRule::shift, part.width, part.width, 0, 0, 1, 2, 1};
  return map;
}

/// For a map that takes neighbouring channels unchanged, or numbers of a row, the first of them; for any other one -1.
constexpr int first_channel_taken(const IndexMap& map, Dims in) {
  if (in.rank == 1 && map == part_of_row(in, map.first, map.out())) return map.first;
  IndexMap taken = unchanged(in);
  const IndexFactor& channels = map.factor[0];
  taken.factor[0].begin = channels.begin;
  taken.factor[0].out = channels.out;
  return map == taken && channels.begin >= 0 && channels.begin + channels.out <= in.channels ? channels.begin : -1;
}

/// Whether a map only changes the order of the numbers.
constexpr bool only_reorders(const IndexMap& map) {
  if (map.first > 0) return false;
  for (int i = 0; i < map.count; ++i) {
    const IndexFactor& f = map.factor[i];
    if (f.in != f.out || (f.rule != IndexRule::flip && !f.is_identity())) return false;
  }
  return true;
}

/// y = A x by the index map `Layer::indices(dims of x)`. Adjoint: dx = A^T dy.
template <class Layer>
struct MapIndices {
  using Indices = Layer;
  static constexpr Op describe(Dims in) {
    const IndexMap indices = Layer::indices(in);
    Op op;
    op.kind = OpKind::index_map;
    op.name = Layer::name;
    op.in = in;
    op.out = indices.out();
    op.begin = first_channel_taken(indices, in);
    return op;
  }
};

SINTER_NAMESPACE_END

namespace sinter::ops {
using internal::IndexFactor;
using internal::IndexMap;
using internal::IndexRule;
using internal::MapIndices;
using internal::unchanged;
}  // namespace sinter::ops
