// SPDX-License-Identifier: MIT
// The source of sinter::kernels: those of the instruction set that it is compiled for.
#define SINTER_KERNEL template
#undef SINTER_COMPILED_KERNELS
#include <sinter/core/isa.hpp>
#define SINTER_COMPILED_KERNELS Native
#include <sinter/kernels/host/compiled_kernels.hpp>
