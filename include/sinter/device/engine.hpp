// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/core/macros.hpp"

SINTER_NAMESPACE_BEGIN

/// What runs a model on a device: `EngineFor<Model, T, Device>::Type`, given by kernels/<device>/engine.hpp. It has
/// `forward` on a `Workspace`, `accumulate` of a gradient, `update` by an optimizer, and loops over the threads.
template <class Model, class T, class Device>
struct EngineFor;

SINTER_NAMESPACE_END
