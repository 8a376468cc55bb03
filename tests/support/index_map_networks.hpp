// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/layers/conv1d.hpp"
#include "sinter/layers/embedding.hpp"
#include "sinter/layers/flip.hpp"
#include "sinter/layers/mean.hpp"
#include "sinter/layers/pad.hpp"
#include "sinter/layers/permute.hpp"
#include "sinter/layers/pixel_shuffle.hpp"
#include "sinter/layers/product.hpp"
#include "sinter/layers/reshape.hpp"
#include "sinter/layers/rms_norm.hpp"
#include "sinter/layers/slice.hpp"
#include "sinter/layers/softmax_along.hpp"
#include "sinter/layers/upsample.hpp"
#include "support/networks.hpp"

/// Small networks of layers that are index maps, of sizes that no pack divides.
namespace sinter_test::networks {

using Permutations = TypeList<                                                                      //
    Chain<Input<3, 5>, Transpose<1, 2>, Conv1d<2, 2>, Tanh>,                                        //
    Chain<Input<3, 5, 9>, Conv2d<2, 2>, Permute<0, 3, 1, 2>, Tanh, Conv2d<3, 2, Padding<1>>>,       //
    Chain<Input<1, 17, 2>, Permute<0, 2, 1, 3>, Sigmoid, Permute<0, 3, 2, 1>, Flatten, Linear<3>>,  //
    Chain<Input<12>, Linear<12>, Reshape<2, 6>, Transpose<-1, -2>, Transpose<1, 1>, ReLU>,
    Chain<Input<2, 4, 3>, Conv2d<3, 3, Padding<1>>, Residual<Path<Transpose<2, 3>, Conv2d<3, 1>, Transpose<-1, -2>>>,
          MaxPool2d<2>>>;

using Parts = TypeList<                                                                                    //
    Chain<Input<3, 19>, Slice<2, 13, 2>, Conv1d<2, 3>, Tanh>,                                              //
    Chain<Input<2, 7, 19>, Conv2d<3, 3, Padding<1>>, Tanh, Slice<1, 17, 3>, Slice<6, 1, 2>, Slice<1, 2>>,  //
    Chain<Input<2, 5, 4>, Concat<Path<Slice<0, 2, 2>, Conv2d<2, 1>>, Path<Slice<3, 2, 2>, Conv2d<1, 1>>>, ReLU>>;

using Pads = TypeList<                                                         //
    Chain<Input<2, 3, 4>, ZeroPad2d<1, 2, 0, 3>, Conv2d<2, 3>, Tanh>,          //
    Chain<Input<2, 9>, Conv1d<3, 2>, Tanh, ZeroPad1d<2>, ReLU, Conv1d<1, 3>>,  //
    Chain<Input<2, 3, 4>, ReflectionPad2d<3, 2, 1, 2>, Conv2d<2, 3>, Tanh>,    //
    Chain<Input<2, 9>, Conv1d<3, 2>, Tanh, ReflectionPad1d<7, 0>, ReLU>,       //
    Chain<Input<2, 1, 4>, ReplicationPad2d<1, 9, 0, 2>, Conv2d<2, 3>, Tanh>,   //
    Chain<Input<2, 9>, Conv1d<3, 2, Padding<1>>, Tanh, Concat<Path<>, Path<ReplicationPad1d<1>, Conv1d<2, 3>>>,
          ReplicationPad1d<0, 5>>>;

using Upsamples = TypeList<                                                                           //
    Chain<Input<2, 3, 4>, Conv2d<3, 2>, Tanh, Upsample<3>, Conv2d<2, 3, Padding<1>>>,                 //
    Chain<Input<2, 7>, Conv1d<3, 2>, Upsample<2>, Tanh>,                                              //
    Chain<Input<2, 2, 5>, Conv2d<3, 1>, Tanh, Upsample<2, Bilinear>, Conv2d<2, 3>>,                   //
    Chain<Input<2, 1, 5>, Conv2d<3, 1>, Tanh, Upsample<3, AlignCorners, Bilinear>, Conv2d<2, 3>>,     //
    Chain<Input<1, 6>, Concat<Path<Upsample<2, Bilinear>>, Path<Upsample<2>>>, Tanh, Conv1d<2, 3>>>;  //

using Shuffles = TypeList<                                                                   //
    Chain<Input<3, 3, 5>, Conv2d<8, 2>, PixelShuffle<2>, Tanh, Conv2d<2, 3>>,                //
    Chain<Input<2, 6, 9>, Tanh, PixelUnshuffle<3>, Conv2d<9, 1>, PixelShuffle<3>, Sigmoid>,  //
    Chain<Input<2, 4, 5>, Conv2d<3, 2>, Flip<-1>, Tanh, Concat<Path<>, Path<Flip<1, 2>>>, Flip<3, 1, 2>>,
    Chain<Input<11>, Flip<1>, Linear<3>>>;

using Sums = TypeList<                                                                                //
    Chain<Input<3, 4, 5>, Conv2d<3, 2>, Tanh, Mean<2, 3>, Linear<2>>,                                 //
    Chain<Input<3, 4, 5>, Conv2d<3, 2>, Tanh, Sum<1>, Conv1d<2, 3>>,                                  //
    Chain<Input<3, 4, 5>, Conv2d<3, 2>, Tanh, Mean<2>, Conv1d<2, 3>, Mean<-1>>,                       //
    Chain<Input<2, 9>, Concat<Path<Sum<2>, Tanh>, Path<Mean<2>, Linear<3>>, Path<Sum<1>>>, Mean<1>>,  //
    Chain<Input<2, 3, 4>, Product<Path<>, Path<Sum<1, 2, 3>, Linear<24>, Reshape<2, 3, 4>>>, Sum<-1>>>;

using SoftmaxesAlong = TypeList<                                                                       //
    Chain<Input<3, 5>, Conv1d<4, 2>, SoftmaxAlong<1>, Conv1d<2, 3, Padding<1>>>,                       //
    Chain<Input<2, 3, 9>, Conv2d<3, 2, NoBias>, LogSoftmaxAlong<-1>, Conv2d<2, 3, Padding<1>>, Tanh>,  //
    Chain<Input<2, 3, 4>, Conv2d<3, 2, Padding<1>, NoBias>, SoftmaxAlong<2>, Flatten, Linear<7>, LogSoftmaxAlong<-1>>>;

using LastNorms = TypeList<                                                                                  //
    Chain<Input<3, 5>, Conv1d<4, 2>, RMSNorm<NormalizedShape<4>, Epsilon<1e-3>>, Conv1d<2, 3, Padding<1>>>,  //
    Chain<Input<2, 3, 9>, RMSNorm<NormalizedShape<3, 9>, NoAffine>, Conv2d<3, 2, Padding<1>>, Tanh>,         //
    Chain<Input<2, 4, 3>, Conv2d<3, 3, Padding<1>>,
          Residual<Path<LayerNorm<NormalizedShape<3>>, Conv2d<3, 3, Padding<1>>>>, ReLU>,
    Chain<Input<6>, Linear<7>, Tanh, RMSNorm<NormalizedShape<7>>, Linear<3>, LayerNorm<NormalizedShape<3>, NoBias>>>;

}  // namespace sinter_test::networks
