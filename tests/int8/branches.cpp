// SPDX-License-Identifier: MIT
#include "int8/networks.hpp"

using namespace sinter_test;

namespace {

template <int Channels, int Step>
struct Block : Path<Residual<Path<Conv2d<Channels, 3, Stride<Step>, Padding<1>, NoBias>, BatchNorm2d<>, ReLU,
                                  Conv2d<Channels, 3, Padding<1>, NoBias>, BatchNorm2d<>>,
                             Shortcut<Conv2d<Channels, 1, Stride<Step>, NoBias>, BatchNorm2d<>>>,
                    ReLU> {};
struct Residuals : Sequential<Input<3, 9, 9>, Conv2d<5, 3, Padding<1>>, BatchNorm2d<>, ReLU, Block<7, 2>,
                              Residual<Path<Conv2d<7, 3, Padding<1>>>>, AdaptiveAvgPool2d<2>, Flatten, Linear<3>> {};
struct Depthwise : Sequential<Input<4, 8, 7>, BatchNorm2d<>, Conv2d<4, 3, Padding<1>, Groups<4>>, ReLU6, Conv2d<19, 1>,
                              ReLU, Conv2d<19, 3, Groups<19>, Stride<2>>, AvgPool2d<2, Stride<1>, Padding<1>>, Flatten,
                              BatchNorm1d<>, Linear<6>> {};
struct Joined : Sequential<Input<2, 8, 8>, Conv2d<6, 3, Padding<1>>,
                           Concat<Path<ReLU, MaxPool2d<2>>, Path<AvgPool2d<2>>, Path<Conv2d<3, 2, Stride<2>>, Tanh>>,
                           Product<Path<Conv2d<5, 1>, Sigmoid>, Path<Conv2d<5, 1>>>, Flatten, Linear<4>> {};
struct Reshaped : Sequential<Input<24>, Linear<36>, ReLU, Reshape<4, 3, 3>, Conv2d<6, 2>, ReLU, Reshape<4, 6>,
                             Conv1d<5, 3>, Residual<Path<Flatten, Linear<20>, Reshape<5, 4>>>, Flatten, Linear<3>> {};
struct Shares : Sequential<Input<3, 7, 5>, Conv2d<5, 2>, ReLU, AdaptiveMaxPool2d<4, 3>, Conv2d<8, 2>,
                           AdaptiveAvgPool2d<2, 1>, Flatten, Linear<6>, LogSoftmax> {};
struct Pools : Sequential<Input<2, 13, 11>, Conv2d<17, 3, Padding<1>>, MaxPool2d<2>, ReLU, Conv2d<6, 3, Padding<1>>,
                          MaxPool2d<2, Stride<1>>, Conv2d<7, 2>, ReLU, MaxPool2d<2, Padding<1>>,
                          Residual<Path<MaxPool2d<1>>>, Conv2d<9, 1, Groups<1>>, MaxPool2d<2>, Flatten, Linear<5>> {};
struct Flat : Sequential<Input<1, 8, 8>, Concat<Path<Conv2d<1, 7>, Flatten>, Path<Conv2d<8, 3>, Flatten>>, Linear<3>> {
};
struct OnePosition : Sequential<Input<3, 4, 5>, Conv2d<4, 3>, MaxPool2d<2>, Conv2d<3, 1>, Dropout2d<0.5>> {};

}  // namespace

TEST_CASE("residuals with batch normalisation") { check_network<Residuals>(0.015); }
TEST_CASE("windows in each channel; normalisations alone") { check_network<Depthwise>(0.015); }
TEST_CASE("joined and multiplied branches") { check_network<Joined>(0.015); }
TEST_CASE("other shapes of the same numbers") { check_network<Reshaped>(0.015); }
TEST_CASE("a branch that is larger than the first and in another order") { check_network<Flat>(0.015); }
TEST_CASE("shares of images, and log-probabilities") { check_network<Shares>(0.015); }
TEST_CASE("pools that join a convolution, and others") {
  check_network<Pools>(0.02);
  check_network<OnePosition>(0.02);
  using Plan = sinter::internal::int8::Plan<Pools>;
  CHECK(Plan::ops[0].pools);
  int joined = 0;
  for (const auto& op : Plan::ops) joined += op.pools;
  CHECK(joined == 2);
}
