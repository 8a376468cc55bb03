// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/layers/adaptive_pool2d.hpp"
#include "sinter/layers/conv1d.hpp"
#include "sinter/layers/conv_transpose2d.hpp"
#include "sinter/layers/embedding.hpp"
#include "sinter/layers/gru_cell.hpp"
#include "sinter/layers/highway.hpp"
#include "sinter/layers/lstm_cell.hpp"
#include "sinter/layers/maximum.hpp"
#include "sinter/layers/pool1d.hpp"
#include "sinter/layers/prelu.hpp"
#include "sinter/layers/product.hpp"
#include "sinter/layers/recurrent.hpp"
#include "sinter/layers/reshape.hpp"
#include "sinter/layers/slice.hpp"
#include "support/networks.hpp"

/// Small networks of the layers that lower to ops of others, or to ops that few devices have.
namespace sinter_test::networks {

using AdaptivePools = TypeList<                                                       //
    Chain<Input<3, 5, 4>, AdaptiveAvgPool2d<1>, Flatten, Linear<3>>,                  //
    Chain<Input<2, 6, 4>, Conv2d<3, 3, Padding<1>>, Tanh, AdaptiveAvgPool2d<3, 2>>,   // rides: windows of 2 x 2
    Chain<Input<2, 7, 5>, Tanh, AdaptiveAvgPool2d<3, 2>, Conv2d<2, 2>>,               // windows that differ
    Chain<Input<1, 3, 5>, Conv2d<2, 2>, AdaptiveAvgPool2d<4, 3>, Tanh>,               // more windows than rows
    Chain<Input<2, 2, 3>, AdaptiveAvgPool2d<4, 6>, Conv2d<1, 3, Padding<1>>, Tanh>>;  // each window one number

using AdaptiveMaxPools = TypeList<                                                     //
    Chain<Input<2, 6, 4>, Conv2d<3, 3, Padding<1>>, Tanh, AdaptiveMaxPool2d<3, 2>>,    // rides: windows of 2 x 2
    Chain<Input<2, 7, 5>, Tanh, AdaptiveMaxPool2d<3, 2>, Conv2d<2, 2>>,                // windows that overlap
    Chain<Input<1, 3, 5>, Conv2d<2, 2>, AdaptiveMaxPool2d<4, 3>, Tanh>,                // more windows than rows
    Chain<Input<1, 35, 17>, Tanh, AdaptiveMaxPool2d<2, 1>, ReLU, Flatten, Linear<2>>,  // of 18 x 17 numbers
    Chain<Input<3, 22>, Tanh, AdaptiveMaxPool1d<19>, Conv1d<2, 3, Padding<1>>, AdaptiveMaxPool1d<1>>>;

using Reshapes = TypeList<                                                                    //
    Chain<Input<24>, Reshape<2, 3, 4>, Conv2d<3, 2>, Tanh, Reshape<18>, Linear<3>>,           //
    Chain<Input<5>, Linear<24>, Tanh, Reshape<1, 4, 6>, Conv2d<2, 3, Padding<1>>, ReLU>,      //
    Chain<Input<2, 5, 4>, Conv2d<3, 2>, Reshape<2, 3, 6>, Tanh, Conv2d<2, 2>, MaxPool2d<2>>,  //
    Chain<Input<2, 5, 4>, Conv2d<3, 2>, Tanh,
          Concat<Path<Reshape<4, 3, 3>, Dropout2d<0.5>>, Path<Reshape<1, 3, 12>, AvgPool2d<Kernel<1, 4>>>>,
          Reshape<3, 3, 5>, MaxPool2d<Kernel<1, 3>>>>;

using PReLUs = TypeList<  //
    Chain<Input<7>, Linear<9>, PReLU<>, Linear<4>>,
    Chain<Input<5>, PReLU<PerChannel>, Linear<3>, PReLU<PerChannel>>,  //
    Chain<Input<2, 6, 5>, Conv2d<3, 3, Padding<1>>, PReLU<PerChannel>, MaxPool2d<2>,
          PReLU<>>,  // an add below a pool that does not reach all pixels
    Chain<Input<3, 4, 3>, PReLU<>, Conv2d<2, 3, Padding<1>>, Tanh>>;

using Series = TypeList<                                                                                             //
    Chain<Input<2, 9>, Conv1d<3, 3>, Tanh, Conv1d<2, 4, Stride<2>, Padding<2>>>,                                     //
    Chain<Input<4, 11>, Conv1d<6, 3, Groups<2>, Dilation<2>, NoBias>, MaxPool1d<2>, Tanh, Flatten, Linear<3>>,       //
    Chain<Input<2, 10>, Conv1d<3, 3, Causal>, ReLU, Conv1d<2, 2, Dilation<4>, Causal>, Tanh, Conv1d<2, 3, Causal>>,  //
    Chain<Input<1, 13>, Tanh, Conv1d<4, 4, Stride<3>, Causal>, AvgPool1d<3, Stride<1>, Padding<1>>,
          PReLU<PerChannel>>,  //
    Chain<Input<12>, Reshape<2, 6>, Residual<Path<Conv1d<2, 3, Padding<1>>, Tanh>>, AdaptiveAvgPool1d<4>,
          Concat<Path<>, Path<Conv1d<1, 1>>>, MaxPool1d<3, Stride<1>>>,
    Chain<Input<2, 14>, Tanh, Conv1d<3, 5, Causal>, MaxPool1d<2>, ReLU, Dropout<0.5>, Conv1d<4, 2>, Dropout<0.8>>>;

// Pools across 3 and 4 pixels that ride on a convolution, also with adds before them.
using WidePools = TypeList<  //
    Chain<Input<2, 33>, Tanh, Conv1d<3, 3, Padding<1>>, MaxPool1d<3>, Conv1d<2, 3>, Tanh>,
    Chain<Input<1, 76>, Conv1d<5, 3, Padding<1>>, PReLU<>, AvgPool1d<4>, Tanh, Conv1d<2, 2>>,
    Chain<Input<2, 13>, Conv1d<3, 2>, ReLU, MaxPool1d<4>, PReLU<PerChannel>>,
    Chain<Input<2, 6, 10>, Residual<Path<Conv2d<2, 3, Padding<1>>, Tanh>>, Conv2d<3, 3, Padding<1>>, PReLU<PerChannel>,
          MaxPool2d<2>, Tanh>,
    Chain<Input<2, 4, 4>, Concat<Path<Conv2d<3, 3>, Tanh, Flatten>, Path<AvgPool2d<2>, Flatten>>, Linear<2>>>;

// Windows too wide to be unrolled, with gradients of their inputs.
using WideWindows = TypeList<  //
    Chain<Input<2, 90>, Tanh, Conv1d<3, 40, Stride<17>, Padding<5>>, Tanh, Conv1d<2, 2>>,
    Chain<Input<1, 40>, PReLU<>, Conv1d<2, 35, Padding<17>>, MaxPool1d<2>, ReLU, Dropout<0.5>>,
    Chain<Input<2, 75>, Tanh, Conv1d<4, 33, Dilation<2>, Stride<3>, Groups<2>, NoBias>>,
    Chain<Input<2, 1, 4>, Tanh, ConvTranspose2d<2, Kernel<1, 34>, Stride<1, 3>>>>;

// Convolutions of which one row copies its pixels: strides, and an image that is larger than the first cache.
using CopiedPixels = TypeList<  //
    Chain<Input<2, 3, 41>, Tanh, Conv2d<20, 3, Stride<1, 3>>>,
    Chain<Input<2, 72>, PReLU<>, Conv1d<21, 3, Stride<5>, Dilation<2>, NoBias>, ReLU, Conv1d<2, 3, Padding<1>>>,
    Chain<Input<2, 90>, Tanh, Conv1d<40, 3, Stride<2>, Dilation<3>>>,
    Chain<Input<4, 107>, Conv1d<40, 2, Stride<7>, Groups<2>>>,
    Chain<Input<1, 5, 41>, Conv2d<23, Kernel<2, 3>, Stride<2>, Padding<1>>, Tanh>,
    Chain<Input<1, 61>, Conv1d<20, 5, Stride<4>, Padding<2>>>,
    Chain<Input<8, 32, 32>, Conv2d<52, Kernel<1, 5>, Stride<8, 1>>>,
    // Windows of rows that are one pack.
    Chain<Input<3, 16, 9>, Conv2d<40, 4, Stride<4>, Padding<1>>, Tanh>, Chain<Input<1, 40>, Conv1d<60, 16, Stride<8>>>,
    Chain<Input<4, 6, 8>, Tanh, Conv2d<48, 3, Stride<2>, Groups<2>, NoBias>>,
    Chain<Input<2, 12, 15>, Conv2d<30, Kernel<2, 11>, Stride<3>>, ReLU, Conv2d<3, 1>>>;

// Windows of one pixel on images of which a pack has several rows: values with and without a border, sums, groups.
using SmallImages = TypeList<  //
    Chain<Input<3, 2, 2>, Tanh, Conv2d<5, 1>, ReLU, Conv2d<3, 3, Padding<1>>>,
    Chain<Input<2, 4, 2>, Conv2d<7, 1, NoBias>, Tanh, Conv2d<4, 1, NoBias>, BatchNorm2d<>, ReLU,
          Conv2d<2, 3, Padding<1>>>,
    Chain<Input<3, 4, 4>, Residual<Path<Tanh, Conv2d<3, 1>>>, Residual<Path<Conv2d<3, 1>>>, Conv2d<2, 3, Padding<1>>>,
    Chain<Input<3, 8, 8>, Tanh, Conv2d<17, 1>, ReLU, Conv2d<4, 1>, Conv2d<2, 3, Padding<1>>>,
    Chain<Input<4, 6, 2>, Conv2d<6, 1, Groups<2>>, ReLU, Conv2d<2, 1>>,
    // Read with a border, too: by the product, and by the sum after it.
    Chain<Input<2, 6, 8>, Tanh, Concat<Path<Conv2d<3, 1>>, Path<Conv2d<2, 3, Padding<1>>>>>,
    Chain<Input<3, 4, 4>, Tanh, Residual<Path<Conv2d<4, 3, Padding<1>>, Conv2d<3, 1>>>, ReLU>>;

// Values with a border for a convolution that others read as a row or in another shape.
using BordersAsRows = TypeList<  //
    Chain<Input<2, 4, 4>, Concat<Path<Conv2d<1, 3, Padding<1>>, Flatten>, Path<Flatten, Linear<3>>>>,
    Chain<Input<1, 5, 7>, Conv2d<3, 3>, Tanh,
          Concat<Path<Conv2d<2, 3, Padding<1>>, ReLU, Flatten>, Path<Flatten>, Path<Flatten, Linear<5>>>>,
    Chain<Input<20, 4>, Tanh,
          Concat<Path<Conv1d<3, 3, Padding<1>>, Flatten>, Path<GRU<3>, Flatten>, Path<Reshape<5, 16>, LSTM<3>, Flatten>,
                 Path<Reshape<10, 8>, MaxPool1d<2>, Flatten>>>>;

using Transposed = TypeList<                                                                             //
    Chain<Input<3, 4, 3>, ConvTranspose2d<2, 2, Stride<2>>, Tanh, Conv2d<2, 3, Padding<1>>>,             //
    Chain<Input<2, 3, 4>, Tanh, ConvTranspose2d<3, Kernel<3, 2>, Padding<1, 0>, NoBias>, MaxPool2d<2>>,  //
    Chain<Input<4, 3, 2>, ConvTranspose2d<6, 3, Stride<3, 2>, Padding<1>, OutputPadding<2, 1>, Groups<2>>, ReLU>,
    Chain<Input<1, 4, 4>, Conv2d<2, 3, Padding<1>>, Tanh, ConvTranspose2d<3, 2, Dilation<2>>,
          Concat<Path<>, Path<Conv2d<1, 1>>>, ConvTranspose2d<1, 3, Padding<2>>>,
    Chain<Input<1, 6, 6>,
          Concat<Path<>, Path<MaxPool2d<2>, Conv2d<2, 3, Padding<1>>, ReLU, ConvTranspose2d<2, 2, Stride<2>>>>,
          Conv2d<2, 3>>,
    Chain<Input<4, 3, 4>, Tanh,
          ConvTranspose2d<4, Kernel<3, 2>, Stride<2, 3>, Padding<2, 1>, Dilation<3, 2>, OutputPadding<2, 1>, Groups<4>>,
          ReLU, ConvTranspose2d<1, 2, Stride<3, 1>>>,  // taps that miss pixels
    Chain<Input<6>, Linear<24>, Reshape<6, 2, 2>, ConvTranspose2d<5, 4, Stride<2>, Padding<1>>, ReLU,
          ConvTranspose2d<2, Kernel<4, 5>, Stride<2, 4>, Padding<1>>, Dropout2d<0.3>, Tanh>,
    Chain<Input<3, 5, 19>, ConvTranspose2d<4, 3, Stride<2>, Padding<1>>, ReLU>,  // several packs of a row
    Chain<Input<2, 1, 11>, ConvTranspose2d<7, Kernel<2, 5>, Stride<1, 3>, Padding<0, 2>>, Sigmoid>>;

/// Numbers of rows of a table, 0 to 2, from what the tests draw: |x| < 1.5.
struct RowNumber {
  static constexpr bool backward_reads_output = false;
  static double forward(double x) { return static_cast<int>(x < 0 ? -2 * x : 2 * x); }
  static double backward(double, double) { return 0; }
};
using ToRows = Activation<RowNumber>;

using Embeddings = TypeList<                                                             //
    Chain<Input<3>, Concat<Path<>, Path<ToRows, Embedding<3, 5>, Flatten>>, Linear<4>>,  //
    Chain<Input<5>, Linear<6>,
          Concat<Path<Tanh>, Path<Sigmoid, ToRows, Embedding<4, 11, ChannelsFirst>, Tanh, Conv1d<2, 3, Causal>, ReLU,
                                  MaxPool1d<2>, Flatten>>,
          Linear<3>>,
    Chain<Input<4>, Concat<Path<ToRows, Embedding<3, 8>, Conv1d<2, 3>, Flatten>, Path<ToRows, Embedding<3, 1>, Flatten>,
                           Path<>>>>;

using Highways = TypeList<                                                        //
    Chain<Input<6>, Highway<Path<Linear<6>, Tanh>, Path<Linear<6>>>, Linear<3>>,  //
    Chain<Input<2, 5, 4>, Conv2d<3, 3, Padding<1>>, Highway<Path<Conv2d<3, 3, Padding<1>>, ReLU>, Path<Conv2d<3, 1>>>,
          Highway<Path<>, Path<Tanh>>, MaxPool2d<2>>>;

using Gates = TypeList<  //
    Chain<Input<6>, Linear<5>, Product<Path<Linear<4>>, Path<Linear<4>, Sigmoid>>, Linear<3>>,
    Chain<Input<4>, Product<Path<>, Path<>>, Linear<3>, Product<Path<>, Path<>>, Tanh>,  // x x
    Chain<Input<3>, Product<Path<Tanh>, Path<Linear<3>, ReLU>>>,
    Chain<Input<2, 11>, Conv1d<4, 3, Causal>, Tanh,
          Residual<Path<
              Product<Path<Conv1d<4, 3, Causal, Dilation<2>>, Tanh>, Path<Conv1d<4, 3, Causal, Dilation<2>>, Sigmoid>>,
              Conv1d<4, 1>>>,
          Flatten, Linear<2>>,
    Chain<
        Input<2, 5, 4>, Conv2d<3, 3, Padding<1>>, ReLU,
        Product<Path<>, Path<AdaptiveAvgPool2d<1>, Conv2d<2, 1>, ReLU, Conv2d<3, 1>, Sigmoid, AdaptiveAvgPool2d<5, 4>>>,
        MaxPool2d<2>>,
    Chain<Input<2, 6, 5>,
          Product<Path<Conv2d<3, 3>, Dropout2d<0.4>>, Path<Product<Path<Conv2d<3, 3>>, Path<Conv2d<3, 3>, Tanh>>>>,
          AvgPool2d<2>, ReLU>,
    Chain<Input<6>, Maximum<Path<Linear<5>>, Path<Linear<5>, ReLU>>, Maximum<Path<>, Path<>>, Linear<3>>,
    Chain<Input<2, 5, 4>, Maximum<Path<Conv2d<3, 3>, ReLU>, Path<Conv2d<3, 3>, ReLU, Dropout<0.3>>>, MaxPool2d<1>,
          Flatten, Maximum<Path<Tanh>, Path<>>, Linear<2>>>;

using Cells = TypeList<Chain<Input<8>, LSTMCell<3>, Linear<2>>, Chain<Input<3>, GRUCell<1>>,
                       Chain<Input<5>, Linear<41>, Tanh, LSTMCell<17>, GRUCell<15, NoBias>, Dropout<0.3>, Linear<2>>,
                       Chain<Input<19>, GRUCell<18>, Residual<Path<LSTMCell<8, NoBias>, Linear<18>>>, ReLU>>;

using Slices = TypeList<                                                                        //
    Chain<Input<7>, Concat<Path<Slice<4, 3>, Linear<2>>, Path<Slice<0, 5>, Tanh>>, Linear<3>>,  //
    Chain<Input<4, 3, 5>, Conv2d<5, 2>, Concat<Path<Slice<0, 2>>, Path<Slice<1, 4>, Conv2d<2, 3, Padding<1>>>>, Tanh,
          Slice<1, 2>>>;
using SliceOfEmbeddings = TypeList<
    Chain<Input<5>, Concat<Path<Slice<0, 2>, ToRows, Embedding<3, 4>, Flatten>, Path<Slice<2, 3>>>, Linear<4>>>;

using SeriesNorms = TypeList<Chain<Input<2, 7>, Conv1d<3, 3, NoBias, Causal>, BatchNorm1d<>, Tanh, Conv1d<2, 2>>>;

}  // namespace sinter_test::networks
