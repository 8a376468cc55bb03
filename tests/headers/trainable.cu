// SPDX-License-Identifier: MIT
// The part of a trainable library for a GPU: what sinter_add_model_library(.. TRAINABLE CUDA) compiles.
#define SINTER_TRAINABLE_PART part_for_a_gpu
#define SINTER_TRAINABLE_ISA "cuda"
#define SINTER_TRAINABLE_DEVICE sinter::internal::Cuda
#include <sinter/sinter.cuh>
#include <sinter/trainable_library.hpp>

using namespace sinter;

struct Points : Sequential<Input<2>, Linear<16>, Tanh, Linear<2>> {};

SINTER_TRAINABLE_LIBRARY(Points)
