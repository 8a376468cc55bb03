// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "sinter/io/onnx_index_map.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {

/// The numbers along an axis in reverse.
SINTER_FUNCTION std::string flipped(OnnxGraph& graph, std::string_view x, std::int64_t axis) {
  return graph.node("Slice", {x, graph.sizes({-1}), graph.sizes({std::numeric_limits<std::int64_t>::min()}),
                              graph.sizes({axis}), graph.sizes({-1})});
}

/// Axes taken apart and put together in another order: their parts as axes of their own.
SINTER_FUNCTION std::string shuffled(OnnxGraph& graph, const IndexMap& map, std::string_view x) {
  std::vector<std::int64_t> parts{0}, order{0};
  for (int i = 0; i < map.count; ++i) parts.push_back(map.factor[i].in);
  for (int i = 0; i < map.count; ++i) order.push_back(i + 1);
  std::sort(order.begin() + 1, order.end(), [&](std::int64_t a, std::int64_t b) {
    const IndexFactor &one = map.factor[a - 1], &other = map.factor[b - 1];
    return one.out_axis != other.out_axis ? one.out_axis < other.out_axis : one.out_step > other.out_step;
  });
  std::string apart = graph.node("Reshape", {x, graph.sizes(parts)});
  for (int i = 0; i < map.count; ++i)
    if (map.factor[i].rule == IndexRule::flip) apart = flipped(graph, apart, i + 1);
  const std::string moved = graph.node("Transpose", {apart}, {{"perm", order}});
  return graph.shaped(moved, {}, map.out());
}

SINTER_FUNCTION std::string index_map_nodes(OnnxGraph& graph, const IndexMap& map, std::string_view x, Dims in) {
  if (map.count > 3) return shuffled(graph, map, x);
  const auto dimension = [&](int axis) { return std::int64_t{in.rank == 2 && axis == 2 ? 2 : axis + 1}; };
  std::string y(x);
  /// Calls make for the factors of a rule, if there are any: those that take a part of an axis count as flips.
  const auto with = [&](auto chosen, auto make) {
    std::vector<IndexFactor> factors;
    for (int i = 0; i < map.count; ++i)
      if (!map.factor[i].is_identity() && chosen(map.factor[i])) factors.push_back(map.factor[i]);
    if (!factors.empty()) y = make(factors);
  };
  const auto is_part = [](const IndexFactor& f) {
    return f.rule == IndexRule::shift && f.begin >= 0 && f.begin + f.out <= f.in;
  };
  with([&](const IndexFactor& f) { return is_part(f) || f.rule == IndexRule::flip; },
       [&](const std::vector<IndexFactor>& factors) {
         std::vector<std::int64_t> first, end, axes, steps;
         for (const IndexFactor& f : factors) {
           const bool flip = f.rule == IndexRule::flip;
           first.push_back(flip ? -1 : f.begin);
           end.push_back(flip ? std::numeric_limits<std::int64_t>::min() : f.begin + f.out);
           axes.push_back(dimension(f.in_axis));
           steps.push_back(flip ? -1 : 1);
         }
         return graph.node("Slice", {y, graph.sizes(first), graph.sizes(end), graph.sizes(axes), graph.sizes(steps)});
       });
  const auto pad = [&](IndexRule rule, std::string_view mode) {
    with([&](const IndexFactor& f) { return f.rule == rule && !is_part(f); },
         [&](const std::vector<IndexFactor>& factors) {
           const auto rank = static_cast<std::size_t>(in.rank) + 1;
           std::vector<std::int64_t> pads(2 * rank);
           for (const IndexFactor& f : factors) {
             const auto at = static_cast<std::size_t>(dimension(f.in_axis));
             pads[at] = -f.begin;
             pads[rank + at] = f.out - f.in + f.begin;
           }
           return graph.node("Pad", {y, graph.sizes(pads)}, {{"mode", {}, 0, false, mode}});
         });
  };
  pad(IndexRule::shift, "constant");
  pad(IndexRule::reflect, "reflect");
  pad(IndexRule::replicate, "edge");
  const auto resize = [&](IndexRule rule, std::string_view mode, std::string_view places) {
    with([&](const IndexFactor& f) { return f.rule == rule; },
         [&](const std::vector<IndexFactor>& factors) {
           std::vector<float> scales(static_cast<std::size_t>(in.rank) + 1, 1);
           for (const IndexFactor& f : factors)
             scales[static_cast<std::size_t>(dimension(f.in_axis))] =
                 static_cast<float>(f.out) / static_cast<float>(f.in);
           std::vector<OnnxAttribute> attributes{{"mode", {}, 0, false, mode},
                                                 {"coordinate_transformation_mode", {}, 0, false, places}};
           if (rule == IndexRule::nearest) attributes.push_back({"nearest_mode", {}, 0, false, "floor"});
           return graph.node("Resize", {y, "", graph.floats(scales)}, attributes);
         });
  };
  resize(IndexRule::nearest, "nearest", "asymmetric");
  resize(IndexRule::linear, "linear", "half_pixel");
  resize(IndexRule::aligned, "linear", "align_corners");
  const auto axes_of = [&](const std::vector<IndexFactor>& factors) {
    std::vector<std::int64_t> axes;
    for (const IndexFactor& f : factors) axes.push_back(dimension(f.in_axis));
    return axes;
  };
  with([](const IndexFactor& f) { return f.rule == IndexRule::sum; },
       [&](const std::vector<IndexFactor>& factors) {
         return graph.node("ReduceSum", {y, graph.sizes(axes_of(factors))});
       });
  with([](const IndexFactor& f) { return f.rule == IndexRule::mean; },
       [&](const std::vector<IndexFactor>& factors) {
         return graph.node("ReduceMean", {y}, {{"axes", axes_of(factors)}});
       });
  if (map.rank != in.rank) return graph.shaped(y, in, map.out());
  std::vector<std::int64_t> order{0};
  for (int dim = 1; dim <= in.rank; ++dim)
    for (int i = 0; i < map.count; ++i)
      if (map.factor[i].out_axis == axis_of(in.rank, dim) && dimension(map.factor[i].in_axis) <= in.rank)
        order.push_back(dimension(map.factor[i].in_axis));
  return std::is_sorted(order.begin(), order.end()) ? y : graph.node("Transpose", {y}, {{"perm", order}});
}

}  // namespace detail

SINTER_NAMESPACE_END
