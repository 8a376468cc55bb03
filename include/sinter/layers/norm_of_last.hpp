// SPDX-License-Identifier: MIT
#pragma once

#include <type_traits>

#include "sinter/fn/identity.hpp"
#include "sinter/fn/reciprocal_root.hpp"
#include "sinter/fn/square.hpp"
#include "sinter/layers/norm_options.hpp"
#include "sinter/layers/permute.hpp"
#include "sinter/ops/elementwise.hpp"
#include "sinter/ops/group_normalization.hpp"
#include "sinter/ops/map.hpp"
#include "sinter/ops/scale.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {

/// The mean of all channels, pixel by pixel, as one channel; and one channel as many equal ones.
struct MeanOfChannels {
  static constexpr const char* name = "mean";
  static constexpr IndexMap indices(Dims in) {
    IndexMap map = unchanged(in);
    map.factor[0].rule = IndexRule::mean;
    map.factor[0].out = 1;
    return map;
  }
};
template <int Count>
struct SpreadChannel {
  static constexpr const char* name = "spread";
  static constexpr IndexMap indices(Dims in) {
    IndexMap map = unchanged(in);
    map.factor[0].rule = IndexRule::nearest;
    map.factor[0].out = Count;
    return map;
  }
};

/// Whether the last dimensions of a sample have the sizes of a shape.
constexpr bool ends_in(Dims in, Dims shape) {
  if (shape.rank > in.rank) return false;
  for (int dim = -1; dim >= -shape.rank; --dim)
    if (size_along(in, axis_of(in.rank, dim)) != size_along(shape, axis_of(shape.rank, dim))) return false;
  return true;
}

/// Normalisation along the last dimensions, made of ops: their numbers become one column of a series, so that a weight
/// for each position is one for each channel. AboutZero: by the mean square, else by mean and variance.
template <bool AboutZero, bool WithWeight, bool WithBias, double Epsilon, Dims Last>
struct NormOfLast {
  using Exchange = MapIndices<Transpose<1, 2>>;
  using Copy = MapIndices<Transpose<1, 1>>;
  using Square = Map<fn::Square>;
  using Mean = MapIndices<MeanOfChannels>;
  using Root = Map<fn::ReciprocalRoot<Epsilon>>;
  using Spread = MapIndices<SpreadChannel<Last.size()>>;
  using Normalize = NormalizeGroups<0, Epsilon, true, false, false>;
  using Weights = ScaleAndShift<WithBias, Last>;
  using Shaped = Map<fn::Identity>;
  using Ops = concatenate<std::conditional_t<AboutZero, OpList<Exchange, Square, Mean, Root, Spread, Multiply>,
                                             OpList<Copy, Normalize, Exchange>>,
                          std::conditional_t<WithWeight, OpList<Weights>, OpList<>>, OpList<Exchange, Shaped>>;
  template <class Builder, class Wire>
  static constexpr Wire build(Builder& to, Wire x) {
    const Dims dims = x.dims;
    x.dims = series(dims.size() / Last.size(), Last.size());
    if constexpr (AboutZero) {
      x = to.template op<Exchange>(x);
      const Wire mean = to.template op<Mean>(to.template op<Square>(x));
      x = to.template op<Multiply>(x, to.template op<Spread>(to.template op<Root>(mean)));
    } else {
      x = to.template op<Exchange>(to.template op<Normalize>(to.template op<Copy>(x)));
    }
    if constexpr (WithWeight) x = to.template op<Weights>(x);
    x = to.template op<Exchange>(x);
    x.dims = dims;
    return to.template op<Shaped>(x);
  }
};

}  // namespace detail

SINTER_NAMESPACE_END
