// SPDX-License-Identifier: MIT
// expected: sinter: BatchNorm takes statistics over all rows of a batch, which on Cuda only the plan layers does
#include <sinter/kernels/gpu/choose.hpp>
#include <sinter/sinter.hpp>
using namespace sinter;
struct Net : Sequential<Input<6>, BatchNorm1d<>> {};
constexpr auto plan = internal::gpu_kernels::Choose<Net, float, 1, CudaPlan::pair>::never;
