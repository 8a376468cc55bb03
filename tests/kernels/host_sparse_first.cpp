// SPDX-License-Identifier: MIT
// labels: large sanitized
#include "support/host_sparse.hpp"

using namespace sinter::internal;
using namespace sinter_test;

// The taps of a row in the lanes: only where the gradient of the input is not needed.
TEST_CASE("zeros skipped in the first layer: 1 channel") {
  check_sparse<Kernels::taps, Input<1, 12, 13>, List<Conv2d<6, Kernel<5, 3>>>, List<MaxPool2d<2>, ReLU>>();
}
TEST_CASE("zeros skipped in the first layer: 3 channels, stride, a tall pool, an odd image") {
  check_sparse<Kernels::taps, Input<3, 15, 9>, List<Conv2d<4, Kernel<2, 4>, Stride<2, 1>>>,
               List<MaxPool2d<Kernel<3, 1>>, ReLU>>();
}
TEST_CASE("zeros skipped in the first layer: dilation down, the window as wide as the image") {
  check_sparse<Kernels::taps, Input<2, 9, 4>, List<Conv2d<3, Kernel<2, 4>, Dilation<3, 1>>>,
               List<Dropout2d<0.8>, Tanh>>();
}
