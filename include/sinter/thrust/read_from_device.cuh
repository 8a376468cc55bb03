// SPDX-License-Identifier: MIT
#pragma once

#include <cuda_runtime_api.h>

#include "sinter/device/cuda.cuh"
#include "sinter/device/cuda_error.cuh"

SINTER_NAMESPACE_BEGIN

namespace detail {

/// A number in the memory of a GPU.
template <class T>
T read_from_device(const T* from, const Cuda& cuda) {
  T value{};
  cuda_check(cudaMemcpyAsync(&value, from, sizeof value, cudaMemcpyDeviceToHost, cuda.stream),
             "copying from a CUDA device");
  cuda_check(cudaStreamSynchronize(cuda.stream), "waiting for a copy from a CUDA device");
  return value;
}

}  // namespace detail

SINTER_NAMESPACE_END
