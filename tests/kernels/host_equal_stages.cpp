// SPDX-License-Identifier: MIT
// labels: large
#include "sinter/kernels/host/plan/equal_stages.hpp"
#include "sinter/layers/shared.hpp"
#include "support/host_check.hpp"
#include "support/more_networks.hpp"

using namespace sinter::internal;
using namespace sinter_test;
using host_kernels::EqualStages;
using host_kernels::Pass;
using networks::Chain;

template <int Channels>
using Norm = Path<Conv2d<Channels, 3, Padding<1>, NoBias>, BatchNorm2d<>, Tanh>;
template <int Dilation_>
using Gate = Residual<Path<Product<Path<Conv1d<3, 3, Causal, Dilation<Dilation_>>, Tanh>,
                                   Path<Conv1d<3, 3, Causal, Dilation<Dilation_>>, Sigmoid>>,
                           Conv1d<3, 1>>>;
struct Again : Shared<Linear<5>> {};

// Several stages that differ only in their places, and some that are nearly equal to them.
using Products =
    TypeList<Chain<Input<6>, Linear<6>, Tanh, Linear<6>, Tanh, Linear<6>, Tanh, Linear<6>, Sigmoid, Linear<2>>,
             Chain<Input<1, 3, 4>, Conv2d<3, 2>, Flatten, Linear<18>, Tanh, Dropout<0.3>, Linear<18>, Tanh,
                   Dropout<0.3>, Linear<18>, Tanh, Dropout<0.3>, Linear<18>, Tanh, Dropout<0.4>, Linear<2>>,
             Chain<Input<5>, Again, Tanh, Linear<5>, Tanh, Again, Tanh, Linear<5>, Tanh, Linear<5>, Tanh>,
             Chain<Input<5>, Product<Path<Linear<5>>, Path<Linear<5>, Tanh>>, Product<Path<>, Path<>>,
                   Product<Path<Linear<5>>, Path<Linear<5>, Tanh>>, Product<Path<Linear<5>>, Path<>>>,
             Chain<Input<5>, Linear<5>, Product<Path<>, Path<>>, Linear<5>, Product<Path<Linear<5>>, Path<Linear<5>>>,
                   Linear<5>, Product<Path<>, Path<>>, Linear<5>>>;
using Images =
    TypeList<Chain<Input<16, 4, 5>, Conv2d<16, 3, Padding<1>>, Tanh, Conv2d<16, 3, Padding<1>>, Tanh,
                   Conv2d<16, 3, Padding<1>>, Tanh, Conv2d<16, 3, Padding<1>>, Tanh>,
             Chain<Input<2, 4, 5>, Conv2d<4, 3, Padding<1>>, Tanh, Conv2d<4, 3, Padding<1>>, Tanh,
                   Conv2d<4, 3, Padding<1>>, Sigmoid, Conv2d<4, 3, Padding<1>, NoBias>, Tanh, Conv2d<4, 3, Padding<1>>,
                   Tanh, Conv2d<4, 3, Padding<1>>, Tanh, Conv2d<4, 3, Padding<1>, Groups<2>>, Tanh>,
             Chain<Input<2, 5, 4>, MaxPool2d<3, Stride<1>, Padding<1>>, AvgPool2d<3, Stride<1>, Padding<1>>,
                   MaxPool2d<3, Stride<1>, Padding<1>>, AvgPool2d<3, Stride<1>, Padding<1>>,
                   MaxPool2d<3, Stride<1>, Padding<1>>, Conv2d<2, 1>, Tanh>,
             Chain<Input<2, 4, 3>, ConvTranspose2d<2, 3, Padding<1>>, Tanh, ConvTranspose2d<2, 3, Padding<1>>, Tanh,
                   ConvTranspose2d<2, 3, Padding<1>>, Tanh>,
             Chain<Input<3, 4, 4>, Conv2d<4, 3, Padding<1>>, MaxPool2d<2>, Tanh, ConvTranspose2d<3, 2, Stride<2>>, Tanh,
                   Conv2d<4, 3, Padding<1>>, MaxPool2d<2>, Tanh, ConvTranspose2d<3, 2, Stride<2>>, Tanh,
                   Conv2d<4, 3, Padding<1>>, MaxPool2d<2>, Tanh>>;
using Wired =
    TypeList<Chain<Input<3, 4, 4>, Residual<Path<Conv2d<3, 3, Padding<1>>, Tanh>>,
                   Residual<Path<Conv2d<3, 3, Padding<1>>, Tanh>>, Residual<Path<Conv2d<3, 3, Padding<1>>, Tanh>>,
                   Residual<Path<Conv2d<3, 3, Padding<1>>, Tanh, Conv2d<3, 3, Padding<1>>>>, Tanh>,
             Chain<Input<1, 9>, Conv1d<3, 1>, Gate<1>, Gate<2>, Gate<1>, Gate<2>, Gate<1>, Conv1d<1, 1>>,
             Chain<Input<4, 3, 3>, GroupNorm<2>, Conv2d<4, 1>, GroupNorm<2>, Tanh, Conv2d<4, 1>, GroupNorm<2>, Tanh,
                   Conv2d<4, 1>, GroupNorm<2>, Tanh, Conv2d<4, 1>>>;
using Norms = TypeList<Chain<Input<2, 3, 4>, Norm<3>, Norm<3>, Norm<3>, Norm<3>, Flatten, Linear<2>>>;

template <class Model, Pass pass>
using Trained = EqualStages<host_kernels::Tile<TilePlan<Model, float, isa::Native>, true>, pass>;
template <class Model>
using Alone = EqualStages<host_kernels::SinglePlan<TilePlan<Model, float, isa::Native>>, Pass::forward>;

// Of five blocks the first reads other channels, and nothing pads what the last one makes.
using Blocks =
    Sequential<Input<2, 8, 8>, Conv2d<16, 3, Padding<1>>, ReLU, Conv2d<16, 3, Padding<1>>, ReLU,
               Conv2d<16, 3, Padding<1>>, ReLU, Conv2d<16, 3, Padding<1>>, ReLU, Conv2d<16, 3, Padding<1>>, ReLU>;
using Forward = Trained<Blocks, Pass::forward>;
static_assert(!Forward::shared(0) && Forward::first(2) == 1 && Forward::first(3) == 1 && !Forward::shared(4));
static_assert(Alone<Blocks>::first(3) == 1 && !Alone<Blocks>::shared(4));
using WeightGradient = Trained<Blocks, Pass::weight_gradient>;
static_assert(!WeightGradient::shared(0) && WeightGradient::first(4) == 1, "it does not depend on the output");
using InputGradient = Trained<Blocks, Pass::input_gradient>;
static_assert(InputGradient::first(3) == 1 && InputGradient::first(4) == 1, "each goes back through a ReLU");

using Different = Sequential<Input<6>, Linear<6>, ReLU, Linear<6>, Tanh, Linear<6, NoBias>, ReLU, Linear<6>, ReLU>;
static_assert(!Alone<Different>::shared(1) && !Alone<Different>::shared(2), "other maps, no bias");

TEST_CASE("products with whole samples") { check_host(Products{}); }
TEST_CASE("windows") { check_host(Images{}); }
TEST_CASE("several readers, and groups") { check_host(Wired{}); }
TEST_CASE("statistics of a batch") { check_host(Norms{}); }
