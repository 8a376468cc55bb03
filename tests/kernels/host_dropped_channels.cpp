// SPDX-License-Identifier: MIT
// labels: large
#include "support/host_check.hpp"

using namespace sinter::internal;
using namespace sinter_test;

/// The forward that leaves out the channels that Dropout2d drops.
template <class Model>
void check_dropped() {
  static_assert(TilePlan<Model, double, isa::Native>::skips_channels(0));
  static_assert(TilePlan<Model, float, isa::Native>::skips_channels(0));
  check_host(Case<Model, GivenGradient>{}, {30});
  check_host_float(TypeList<Case<Model, GivenGradient>>{});
}

TEST_CASE("dropped channels: a pool of 2 x 2, an odd number of channels and of columns") {
  check_dropped<Sequential<Input<2, 9, 35>, Conv2d<5, 3>, Dropout2d<0.5>, MaxPool2d<2>, ReLU>>();
}
TEST_CASE("dropped channels: no pool, padding, dilation, a vertical stride, a map after the mask") {
  check_dropped<
      Sequential<Input<3, 12, 16>, Conv2d<4, Kernel<3, 5>, Padding<1, 2>, Stride<2, 1>, Dilation<2, 1>, NoBias>,
                 Dropout2d<0.7>, Tanh, Conv2d<2, 2>>>();
}
TEST_CASE("dropped channels: a tall mean, one channel, all dropped") {
  check_dropped<
      Sequential<Input<2, 13, 16>, Conv2d<1, 2, Padding<1, 0>>, Dropout2d<0.6>, AvgPool2d<Kernel<3, 1>>, Tanh>>();
  check_dropped<
      Sequential<Input<2, 6, 17>, Conv2d<3, 2>, Dropout2d<1.0>, MaxPool2d<Kernel<1, 2>>, Flatten, Linear<2>>>();
}
