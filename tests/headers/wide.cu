// SPDX-License-Identifier: MIT
// The kernels of a step by the whole grid, whose records are in device memory.
#include <utility>

#include "sinter/sinter.cuh"

namespace {
using namespace sinter::internal;

struct Pictures : Sequential<Input<3, 16, 16>, Conv2d<8, 3, Padding<1>, NoBias>, BatchNorm2d<>, ReLU, MaxPool2d<2>,
                             Flatten, Linear<4>> {};
template <int Index>
struct OnePhase
    : gpu_kernels::TrainPhase<Pictures, float, gpu_kernels::Rows<float, int, float>, CrossEntropyLoss, false, Index> {};
constexpr int phases = OnePhase<0>::count;

template <int... Index>
void name_each(std::integer_sequence<int, Index...>) {
  (static_cast<void>(executor::entry<OnePhase<Index>>), ...);
}
}  // namespace

void name_kernels();
void name_kernels() { name_each(std::make_integer_sequence<int, phases>{}); }
