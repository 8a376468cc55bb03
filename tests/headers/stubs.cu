// SPDX-License-Identifier: MIT
// A kernel whose block takes more memory than one has on sm_75: its body there is a stub.
#include "sinter/sinter.cuh"

namespace {
struct Large : sinter::Sequential<sinter::Input<1, 64, 64>, sinter::Conv2d<8, 3>, sinter::ReLU, sinter::MaxPool2d<2>,
                                  sinter::Flatten, sinter::Linear<4>, sinter::LogSoftmax> {};
}  // namespace
using Kernel =
    sinter::internal::gpu_kernels::TrainTiles<Large, float, sinter::internal::gpu_kernels::Rows<float, int, float>,
                                              sinter::NLLLoss, false>;
template __global__ void sinter::internal::executor::entry<Kernel>(const __grid_constant__ Kernel::Args);
