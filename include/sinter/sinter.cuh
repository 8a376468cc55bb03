// SPDX-License-Identifier: MIT
#pragma once

/// Everything, and the device Cuda: `Network<LeNet, Cuda>`. Compile with nvcc, link with cudart.
#include "sinter/kernels/cuda/describe.cuh"
#include "sinter/kernels/cuda/engine.cuh"
#include "sinter/network/any_device.cuh"
#include "sinter/sinter.hpp"
