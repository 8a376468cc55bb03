// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/plan/kinds.hpp"

SINTER_NAMESPACE_BEGIN

namespace host_kernels {

/// The kernels of a kind of stage, each a template <class Tile, int S> that takes a tile: `forward`, `input_gradient`
/// (with those of the parameters, where kind_of() says so) and, where it says that they are apart, `weight_gradient`.
/// The header of each kind has its record.
template <Source source>
struct StageKernel;

}  // namespace host_kernels

SINTER_NAMESPACE_END
