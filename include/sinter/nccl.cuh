// SPDX-License-Identifier: MIT
#pragma once

/// Ranks whose GPUs exchange numbers by NCCL. It needs <nccl.h>: find_package(sinter COMPONENTS nccl), sinter::nccl.

// First what may refuse a model or a call.
#include "sinter/sinter.cuh"
// The rest.
#include "sinter/ranks.cuh"
#include "sinter/ranks/nccl.cuh"
