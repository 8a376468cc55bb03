// SPDX-License-Identifier: MIT
#include "int8/networks.hpp"

using namespace sinter_test;

namespace {

struct Perceptron
    : Sequential<Input<13>, Linear<17>, ReLU, Linear<33>, Tanh, Dropout<0.5>, Linear<7>, GELU, Linear<5>> {};
struct LimitsFirst : Sequential<Input<7>, Hardtanh<-0.5, 0.5>, Linear<9>, ReLU6, Linear<3>, ReLU> {};
struct Digits : Sequential<Input<1, 12, 14>, Conv2d<10, 5>, MaxPool2d<2>, ReLU, Conv2d<20, 3>, Dropout2d<0.5>, ReLU,
                           Flatten, Linear<11>, ReLU, Linear<3>> {};
struct Windows : Sequential<Input<3, 11, 9>, Conv2d<6, Kernel<3, 2>, Stride<2, 1>, Padding<2, 1>>, LeakyReLU<>,
                            Conv2d<8, 3, Padding<1>, Groups<2>>, ReLU, Conv2d<5, 2, Dilation<2>, NoBias>,
                            MaxPool2d<3, Stride<2>, Padding<1>>, Conv2d<17, 1>> {};
struct Series : Sequential<Input<2, 23>, Conv1d<6, 3, Causal>, ReLU, Conv1d<9, 4, Stride<3>>, SiLU, MaxPool1d<2>,
                           Flatten, Linear<4>> {};

}  // namespace

TEST_CASE("a perceptron") { check_network<Perceptron>(0.01); }
TEST_CASE("limits of the input and of the output") { check_network<LimitsFirst>(0.01); }
TEST_CASE("convolutions and pools, flattened") { check_network<Digits>(0.01); }
TEST_CASE("strides, paddings, groups, dilation") { check_network<Windows>(0.01); }
TEST_CASE("series") { check_network<Series>(0.01); }
