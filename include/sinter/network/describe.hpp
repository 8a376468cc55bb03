// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>

#include "sinter/kernels/host/describe.hpp"
#include "sinter/kernels/reference/describe.hpp"
#include "sinter/network/network.hpp"

SINTER_NAMESPACE_BEGIN

/// How the device of a network processes a batch: its fused kernels, a line each, memory, tiles and threads. A
/// device says so by `describe_plan<Model, T>(device, batch)` in describe.hpp of its folder in kernels.
template <class Model, class Device, class Precision>
std::string describe(const Network<Model, Device, Precision>& net, std::size_t batch) {
  if (batch == 0) fail("describe was given a batch of 0 rows; give it 1 or more");
  return describe_plan<Model, typename Precision::Scalar>(net.device(), batch);
}

SINTER_NAMESPACE_END

namespace sinter {
using internal::describe;
}  // namespace sinter
