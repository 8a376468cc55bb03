// SPDX-License-Identifier: MIT
#pragma once

/// Data in the memory of a GPU, by Thrust and CUB of the CUDA toolkit: scales of columns and channels, labels checked
/// and counted, confusion matrices, rows by class, pictures changed at random. Compile with nvcc, or with g++ by one of
/// Thrust's systems for CPUs, as its tests do: -DTHRUST_DEVICE_SYSTEM=THRUST_DEVICE_SYSTEM_CPP.
#include "sinter/sinter.cuh"

#include "sinter/thrust/augment.cuh"
#include "sinter/thrust/confusion_matrix.cuh"
#include "sinter/thrust/labels.cuh"
#include "sinter/thrust/rows_by_class.cuh"
#include "sinter/thrust/standardise.cuh"
#include "sinter/thrust/subset.cuh"
