// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>
#include <type_traits>

#include "sinter/kernels/host/describe.hpp"
#include "sinter/kernels/reference/describe.hpp"
#include "sinter/network/network.hpp"
#include "sinter/network/stored.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {
template <class Device>
inline constexpr bool runs_views = false;
template <class Isa>
inline constexpr bool runs_views<HostFor<Isa>> = true;

/// Whether a model has so many weights in Linear layers that a single row waits for them.
template <class Model>
constexpr bool waits_for_weights() {
  long long bytes = 0;
  for (const Parameter& p : Program<Model>::parameters)
    if (StoragePlan<Model>::in_panels(p)) bytes += p.size * static_cast<long long>(sizeof(float));
  return bytes >= 1 << 16;
}
}  // namespace detail

/// How the device of a network processes a batch: its fused kernels, a line each, memory, tiles and threads. A
/// device says so by `describe_plan<Model, T>(device, batch)` in describe.hpp of its folder in kernels.
template <class ModelType, class Device, class Precision, class Model>
std::string describe(const Network<ModelType, Device, Precision, Model>& net, std::size_t batch) {
  if (batch == 0) fail("describe was given a batch of 0 rows; give it 1 or more");
  std::string all = describe_plan<Model, typename Precision::Scalar>(net.device(), batch);
  if constexpr (detail::runs_views<Device> && std::is_same_v<Precision, Float32>)
    if (batch == 1 && detail::waits_for_weights<Model>())
      all +=
          "one row: a View of Storage::panels reads the weights of Linear layers in order, which is faster "
          "(docs/embedding.md)\n";
  return all;
}

SINTER_NAMESPACE_END

namespace sinter {
using internal::describe;
}  // namespace sinter
