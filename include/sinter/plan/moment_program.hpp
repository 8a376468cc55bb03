// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

#include "sinter/plan/moments.hpp"

SINTER_NAMESPACE_BEGIN

/// A model that runs moment by moment: its graph, its parameters, and the shapes of Moments.
template <class Model>
struct Moment {
  using LayerTypes = typename Model::LayerTypes;
};

namespace detail {
template <class Model, int Index>
struct MomentMap {
  static constexpr IndexMap indices(Dims) { return Moments<Model>::maps[static_cast<std::size_t>(Index)]; }
};
template <class Model, int Index, bool Maps>
struct MomentOp {
  using Type = typename Program<Model>::template OpType<Index>;
};
template <class Model, int Index>
struct MomentOp<Model, Index, true> {
  using Type = MapIndices<MomentMap<Model, Index>>;
};
}  // namespace detail

template <class Model, class... Layers>
struct Program<Moment<Model>, LayerList<Layers...>> : Program<Model> {
  using Whole = Program<Model>;
  template <int Index>
  using OpType = typename detail::MomentOp<Model, Index,
                                           Whole::ops[static_cast<std::size_t>(Index)].kind == OpKind::index_map>::Type;

  static constexpr Dims input = Moments<Model>::dims(0), output = Moments<Model>::dims(Whole::output_value);
  static constexpr auto ops = Moments<Model>::ops;
  static constexpr auto values = [] {
    auto all = Whole::values;
    for (int v = 0; v < Whole::value_count; ++v) all[static_cast<std::size_t>(v)].dims = Moments<Model>::dims(v);
    return all;
  }();
};

SINTER_NAMESPACE_END
