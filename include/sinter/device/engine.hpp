// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/core/macros.hpp"

SINTER_NAMESPACE_BEGIN

/// What runs a model on a device: `EngineFor<Model, T, Device>::Type`, given by kernels/<device>/engine. It has arrays in
/// the memory of the device, `forward` on a `Workspace`, `accumulate` of a gradient, `apply` of an optimizer, and `steps` of
/// training on a dataset: kernels/engine.hpp has the whole list.
template <class Model, class T, class Device>
struct EngineFor;

/// An engine whose device has a memory of its own. It sends datasets there once, and then makes many `steps` in one call,
/// also of many networks side by side, and judgements of a whole dataset, without the host. Of a single `step` it does not
/// wait for: the loss that it returns is asked for where a number is wanted.
template <class Engine>
concept KeepsData = Engine::keeps_data;

SINTER_NAMESPACE_END
