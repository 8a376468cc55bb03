// SPDX-License-Identifier: MIT
// labels: large optimised
#include "support/host_check.hpp"

using namespace sinter::internal;
using namespace sinter_test;

TEST_CASE("convolutions") { check_host(networks::Convolutions{}); }

// The last block of channels begins earlier than the others end.
TEST_CASE("convolutions whose channels are no whole number of blocks") {
  using Case = networks::Chain<Input<2, 4, 6>, Tanh, Conv2d<7, 3, Padding<1>>, MaxPool2d<2>, ReLU, Conv2d<2, 2>>;
  using Blocks = host_kernels::ConvolutionBlocks<TilePlan<Case::Model, double, isa::Native>, 1>;
  static_assert(Blocks::channels == 1 || 7 % Blocks::channels != 0);
  check_host(Case{});
  check_host_float(Case{});
}
