// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/layers/batch_norm.hpp"
#include "sinter/layers/conv1d.hpp"
#include "sinter/layers/embedding.hpp"
#include "sinter/layers/product.hpp"
#include "sinter/layers/reshape.hpp"
#include "sinter/layers/take_input.hpp"
#include "support/networks.hpp"

/// Small networks with several inputs, of sizes that no pack divides.
namespace sinter_test::networks {

struct PictureAndNumbers : Inputs<Named<"picture", Input<2, 5, 7>>, Named<"numbers", Input<3>>> {};
struct NumbersAndSeries : Inputs<Input<3>, Input<2, 9>, Input<1, 4, 6>> {};

using SeveralInputs = TypeList<
    Chain<PictureAndNumbers,
          Concat<Path<TakeInput<PictureAndNumbers, "picture">, Conv2d<3, 3, Padding<1>>, ReLU, MaxPool2d<2>, Flatten>,
                 Path<TakeInput<PictureAndNumbers, "numbers">, Linear<4>, Tanh>>,
          Linear<3>>,
    Chain<
        NumbersAndSeries,
        Concat<Path<TakeInput<NumbersAndSeries, 2>, Conv2d<2, 3>, Tanh, Flatten>, Path<TakeInput<NumbersAndSeries, 0>>,
               Path<TakeInput<NumbersAndSeries, 1>, Tanh, Conv1d<3, 3>, Flatten>>,
        Linear<2>>,
    // One is read twice, gates the other, and all of them at once.
    Chain<PictureAndNumbers,
          Concat<Path<Product<Path<TakeInput<PictureAndNumbers, 0>, Conv2d<3, 5>, Flatten>,
                              Path<TakeInput<PictureAndNumbers, 1>, Linear<9>, Sigmoid>>>,
                 Path<TakeInput<PictureAndNumbers, 1>>, Path<Linear<5>>>,
          Tanh, Linear<2>>>;

/// What follows from the input alone, where no gradient goes, and what does not.
using Unlearned =
    TypeList<Chain<Input<18>, Reshape<2, 3, 3>, Tanh, Residual<Path<Conv2d<2, 1>>>, Conv2d<3, 2>>,
             Chain<Input<2, 6, 5>, BatchNorm2d<NoAffine>, Conv2d<3, 2, NoBias>, BatchNorm2d<>, Flatten, Linear<2>>,
             Chain<Input<12>, Concat<Path<Product<Path<Tanh>, Path<ReLU>>>, Path<Product<Path<>, Path<Linear<12>>>>>,
                   Linear<3>>>;

}  // namespace sinter_test::networks
