// SPDX-License-Identifier: MIT
// Kernels that have had too few registers, alone: many ops of different kinds in one, and products in double.
#include "nets.hpp"

namespace {
using namespace sinter::internal;

struct Branched
    : Sequential<
          Input<2, 8, 8>, LayerNorm<>, Conv2d<8, 3, Padding<1>>, GroupNorm<2>, GELU,
          Residual<Path<Conv2d<8, 3, Padding<1>>, InstanceNorm2d<Epsilon<1e-4>>, SiLU>>,
          Concat<Path<AvgPool2d<3, Stride<1>, Padding<1>>>, Path<MaxPool2d<2>, ConvTranspose2d<4, 2, Stride<2>>>>,
          Flatten, Linear<9>, Highway<Path<Linear<9>, Tanh>, Path<Linear<9>>>, Linear<5>, LogSoftmax> {};
struct Small : Sequential<Input<2>, Linear<4>, ReLU, Linear<8>, ReLU, Linear<16>, ReLU, Linear<2>> {};

using InBlock =
    gpu_kernels::Resident<Branched, float, gpu_kernels::Rows<float, int, float>, NLLLoss, SGD::Update<float>, 1>;
template <int I>
using InDouble =
    gpu_kernels::TrainPhase<Small, double, gpu_kernels::Rows<float, int, double>, CrossEntropyLoss, false, I>;

/// dx after the second product.
constexpr int phase = 16;
using Phases = gpu_kernels::Phases<Small, true, false, gpu_kernels::Expected::grid>;
static_assert(Phases::at<phase> == gpu_kernels::Phase{gpu_kernels::Phase::input, 1});
}  // namespace

/// Whoever has the address of a kernel has compiled it.
bool registers_suffice() {
  return gpu_kernels::kernel_of<InBlock>() != nullptr && gpu_kernels::kernel_of<InDouble<phase>>() != nullptr;
}
