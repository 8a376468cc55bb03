// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "sinter/core/macros.hpp"

SINTER_NAMESPACE_BEGIN

/// What runs a model on a device: `EngineFor<Model, T, Device>::Type`, given by kernels/<device>/engine. It has arrays in
/// the memory of the device, `forward` on a `Workspace`, `accumulate` of a gradient, and `apply` of an optimizer. One
/// whose device has a memory of its own (`keeps_data`) also sends datasets there once, and then makes many `steps` of
/// training, and judgements of a whole dataset, without the host.
template <class Model, class T, class Device>
struct EngineFor;

template <class Engine>
inline constexpr bool keeps_data = [] {
  if constexpr (requires { Engine::keeps_data; })
    return Engine::keeps_data;
  else
    return false;
}();

/// What keys the order of an epoch's rows, and their masks.
struct EpochOrder {
  std::uint64_t seed = 0;
  std::uint32_t epoch = 0;
  bool shuffle = true;
};

SINTER_NAMESPACE_END
