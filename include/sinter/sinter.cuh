// SPDX-License-Identifier: MIT
#pragma once

#if __cplusplus < 202002L
#error "sinter: sinter.cuh needs C++20: nvcc -std=c++20"
#endif

/// Everything, and the device Cuda: `Network<LeNet, Cuda>`. Compile with nvcc, link with cudart.
// First what may refuse a model or a call.
#include "sinter/kernels/cuda/engine.cuh"
#include "sinter/train/check.hpp"

#include "sinter/device/cuda_rows.cuh"
#include "sinter/function.hpp"
#include "sinter/kernels/cuda/describe.cuh"
#include "sinter/network/any_device.cuh"
#include "sinter/network/device_parameters.cuh"
#include "sinter/network/fit_normalize.cuh"
#include "sinter/sinter.hpp"
