// SPDX-License-Identifier: MIT
// labels: large
#include "support/host_sparse.hpp"

using namespace sinter::internal;
using namespace sinter_test;

TEST_CASE("zeros skipped: 33 channels, the rows of taps one by one") {
  check_sparse<Kernels::channels, Input<33, 8, 9>, List<Conv2d<3, 5, Padding<1>>>, List<MaxPool2d<2>, ReLU>>();
}
TEST_CASE("zeros skipped: 1 channel, dilation, a pool of one row") {
  check_sparse<Kernels::channels, Input<1, 10, 12>, List<Conv2d<4, 3, Dilation<2, 3>, NoBias>>,
               List<MaxPool2d<Kernel<1, 2>>, ReLU>>();
}
TEST_CASE("zeros skipped without a pool, after a horizontal stride") {
  check_sparse<Kernels::channels, Input<5, 9, 7>, List<Conv2d<6, 3, Stride<1, 2>, Padding<1>>>,
               List<ReLU, Dropout<0.6>>>();
}
