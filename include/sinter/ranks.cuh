// SPDX-License-Identifier: MIT
#pragma once

/// One network trained by many GPUs, with the bits of one: `Network<LeNet, Ranks<Cuda>>`. Compile with nvcc.

// First what may refuse a model or a call.
#include "sinter/sinter.cuh"
// The rest.
#include "sinter/ranks.hpp"
#include "sinter/ranks/cuda_engine.cuh"
