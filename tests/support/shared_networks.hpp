// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/layers/shared.hpp"
#include "support/more_networks.hpp"

/// Small networks in which layers occur in several places with one set of parameters.
namespace sinter_test::networks {

struct Tower : Shared<Linear<7>, Tanh, Linear<3>> {};
struct Hidden : Shared<Linear<37>, Tanh> {};
using SharedProducts = TypeList<  //
    Chain<Input<8>, Concat<Path<Slice<0, 4>, Tower>, Path<Slice<4, 4>, Tower>>, Linear<5>, Tanh, Linear<2>>,
    Chain<Input<37>, Hidden, Hidden, Sigmoid, Hidden, Linear<2>>>;
struct Plain : Shared<Linear<6, NoBias>> {};
struct Around : Shared<Plain, ReLU, Linear<6>, Tanh, Plain, Linear<4>, Linear<6>> {};
using SharedInShared = TypeList<Chain<Input<6>, Around, Plain, Around, Linear<3>>>;
struct Words : Shared<ToRows, Embedding<3, 4>, Flatten> {};
struct Normalized : Shared<LayerNorm<>, PReLU<>> {};
using SharedOthers = TypeList<  //
    Chain<Input<5>, Concat<Path<Slice<0, 2>, Words>, Path<Slice<2, 2>, Words>, Path<Slice<4, 1>>>, Linear<4>>,
    Chain<Input<5>, Linear<6>, Plain, Normalized, Plain, Normalized>>;
struct Look : Shared<Conv2d<3, 3, Padding<1>>, MaxPool2d<2>, ReLU> {};  // backward by the zeros
struct Shrink : Shared<Conv2d<2, 3, Padding<1>>, Tanh, AvgPool2d<2>> {};
struct Deepen : Shared<Conv2d<2, 3, Padding<1>>, GroupNorm<1>, Tanh, Conv2d<3, 1, NoBias>> {};
struct Grow : Shared<ConvTranspose2d<2, 2, Stride<2>>, Tanh> {};
using SharedImages = TypeList<  //
    Chain<Input<2, 8, 6>, Concat<Path<Slice<0, 1>, Look>, Path<Slice<1, 1>, Look>>, Conv2d<2, 2>, Tanh>,
    Chain<Input<2, 8, 8>, Shrink, Shrink, Concat<Path<Shrink>, Path<AvgPool2d<2>>>>,  // images of three sizes
    Chain<Input<3, 4, 5>, Deepen, Residual<Path<Deepen>>, Flatten, Linear<3>>,
    Chain<Input<2, 2, 3>, Grow, Grow, Conv2d<1, 3>>>;
struct Scaled : Shared<Linear<5, NoBias>, BatchNorm1d<>, Tanh> {};
struct ScaledImage : Shared<Conv2d<2, 3, Padding<1>, NoBias>, BatchNorm2d<>, ReLU> {};
using SharedNorms = TypeList<  //
    Chain<Input<6>, Concat<Path<Slice<0, 3>, Scaled>, Path<Slice<3, 3>, Scaled>>, Linear<2>>,
    Chain<Input<2, 5, 4>, ScaledImage, ScaledImage, Conv2d<3, 2>>>;

}  // namespace sinter_test::networks
