// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/core/macros.hpp"

SINTER_NAMESPACE_BEGIN

/// Runs a model on a device: `EngineFor<Model, T, Device>::Type`, defined by kernels/<device>/engine. It has arrays in
/// the memory of the device, `forward` on a `Workspace`, `accumulate` of a gradient, `apply` of an optimizer, and
/// `steps` of training on a dataset: kernels/engine.hpp has the whole list.
template <class Model, class T, class Device>
struct EngineFor;

/// An engine whose device has memory of its own. It copies datasets to the device once, and then makes many `steps` in
/// one call, also of many networks at once, and evaluates whole datasets, without the host. It does not wait for a
/// single `step`: the loss that it returns waits when it is converted into a number.
template <class Engine>
concept KeepsData = Engine::keeps_data;

/// Whether an engine has states that it carries from one batch to the next; those that divide a network have none.
template <class Engine>
inline constexpr bool carries_states = requires(Engine& engine) { engine.carried(); };

SINTER_NAMESPACE_END
