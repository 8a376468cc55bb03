// SPDX-License-Identifier: MIT
// expected: sinter: RNN, GRU and LSTM do not run on Cuda yet: use a network that has one on Host
#include <sinter/kernels/gpu/stages.hpp>
#include <sinter/layers/recurrent.hpp>
using namespace sinter;
struct Net : Sequential<Input<6, 2>, GRU<4, FinalState>> {};
constexpr int inputs = internal::gpu_kernels::Stages<Net>::inputs;
