// SPDX-License-Identifier: MIT
// labels: large
#include "support/host_check.hpp"

using namespace sinter::internal;
using namespace sinter_test;
using networks::Chain;

// Combinations of neighbouring layers.
using PoolFirst =
    TypeList<Chain<Input<1, 5, 5>, MaxPool2d<2>, Conv2d<3, 2>, ReLU, Flatten, Dropout<0.5>, ReLU, Linear<3>>,
             Chain<Input<2, 5, 6>, Dropout2d<0.5>, MaxPool2d<2>>>;
using LargeWindows =
    TypeList<Chain<Input<2, 20, 20>, MaxPool2d<20>>, Chain<Input<1, 21, 20>, MaxPool2d<17, Stride<3>>, Tanh>,
             Chain<Input<3, 9, 7>, AvgPool2d<Kernel<9, 7>>, Flatten, Linear<2>>>;
using Riders = TypeList<Chain<Input<2, 6, 6>, Conv2d<3, 3>, Tanh, ReLU, Dropout<0.3>, MaxPool2d<Kernel<2, 1>>, Tanh,
                              Conv2d<2, 2, Padding<1>>, Flatten, Tanh, Linear<2>>,
                        Chain<Input<2, 6, 6>, Conv2d<3, 3>, MaxPool2d<2>, MaxPool2d<2>, Tanh>>;
using Edges = TypeList<Chain<Input<2, 6, 6>, Conv2d<3, 3, Padding<3>>, AvgPool2d<2>>,
                       Chain<Input<2, 6, 6>, Conv2d<9, 1>, ReLU, Conv2d<11, Kernel<6, 6>>>,
                       Chain<Input<2, 5, 6>, Flatten, Linear<7>>>;

TEST_CASE("pools and masks first") { check_host(PoolFirst{}); }
TEST_CASE("windows of a whole image") { check_host(LargeWindows{}); }
TEST_CASE("several riders before and after a pool, and two pools") { check_host(Riders{}); }
// The gradient of a pixel that no window covers stays 0, though a larger gradient used the same memory before.
TEST_CASE("uncovered pixels in shared memory") {
  check_host(
      Chain<Input<1, 6, 8>, Conv2d<2, Kernel<2, 1>>, Tanh, AvgPool2d<2>, Flatten, Linear<5>, Tanh, Linear<90>>{});
}
TEST_CASE("padding as wide as the kernel, a kernel as large as the image, Flatten first") { check_host(Edges{}); }
