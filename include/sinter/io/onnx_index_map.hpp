// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

#include "sinter/core/macros.hpp"
#include "sinter/core/shape.hpp"
#include "sinter/io/onnx_graph.hpp"
#include "sinter/ops/index_map.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {

/// The nodes of an index map on samples of a shape: ONNX operators for each rule, and then the new order of the axes.
SINTER_COLD std::string index_map_nodes(OnnxGraph& graph, const IndexMap& map, std::string_view x, Dims in);

}  // namespace detail

SINTER_NAMESPACE_END

#if SINTER_BODIES
#include "sinter/io/onnx_index_map.ipp"
#endif
