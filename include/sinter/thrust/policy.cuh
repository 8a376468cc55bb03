// SPDX-License-Identifier: MIT
#pragma once

#include <thrust/execution_policy.h>

#include "sinter/device/cuda.cuh"

SINTER_NAMESPACE_BEGIN

namespace detail {

/// For Thrust's algorithms: on the stream of a device, in order with other work on it. They wait until they are
/// complete. Thrust's systems for CPUs know no streams.
inline auto thrust_policy([[maybe_unused]] const Cuda& cuda) {
#if THRUST_DEVICE_SYSTEM == THRUST_DEVICE_SYSTEM_CUDA
  return thrust::cuda::par.on(cuda.stream);
#else
  return thrust::device;
#endif
}

}  // namespace detail

SINTER_NAMESPACE_END
