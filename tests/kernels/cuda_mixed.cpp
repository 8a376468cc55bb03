// SPDX-License-Identifier: MIT
// labels: large gpu
#include "support/cuda_check.hpp"

using namespace sinter::internal;
using namespace sinter_test;
using networks::Chain;

using Riders = TypeList<Chain<Input<2, 6, 6>, Conv2d<3, 3>, Tanh, ReLU, Dropout<0.3>, MaxPool2d<Kernel<2, 1>>, Tanh,
                              Conv2d<2, 2, Padding<1>>, Flatten, Tanh, Linear<2>>,
                        Chain<Input<2, 6, 6>, Conv2d<3, 3>, MaxPool2d<2>, MaxPool2d<2>, Tanh>,
                        Chain<Input<1, 5, 5>, MaxPool2d<2>, Conv2d<3, 2>, ReLU, Flatten, Dropout<0.5>, ReLU, Linear<3>>,
                        Chain<Input<2, 7, 6>, Conv2d<3, 2, Padding<1>>, Activation<networks::Cube>, MaxPool2d<2>,
                              Dropout<0.4>, Conv2d<4, 3, Stride<2>, Padding<1>>, MaxPool2d<Kernel<1, 2>>>>;

TEST_CASE("masks") { check_cuda(networks::Masks{}); }
TEST_CASE("riders before and after a pool") { check_cuda(Riders{}); }
TEST_CASE("every kind of op") { check_cuda(networks::Whole{}); }
