// SPDX-License-Identifier: MIT
#pragma once

#include <sinter/sinter.hpp>

namespace bench {

using namespace sinter::internal;

/// The disc of `n` linear layers, 2-4-8-..-2^n-2.
template <class List, int N, int Width = 4>
struct DiscLayers;
template <class... Layers, int N, int Width>
struct DiscLayers<LayerList<Layers...>, N, Width>
    : DiscLayers<LayerList<Layers..., Linear<Width>, ReLU>, N - 1, 2 * Width> {};
template <class... Layers, int Width>
struct DiscLayers<LayerList<Layers...>, 1, Width> {
  using Type = Sequential<Input<2>, Layers..., Linear<2>>;
};
template <int N>
struct Disc : DiscLayers<LayerList<>, N>::Type {};

struct Folds : Sequential<Input<256>, Linear<64>, ReLU, Linear<64>, ReLU, Linear<10>> {};
struct Digits : Sequential<Input<784>, Linear<1024>, ReLU, Linear<1024>, ReLU, Linear<10>> {};
struct Gray : Sequential<Input<1024>, Linear<100>, ReLU, Linear<10>> {};
struct Agent : Sequential<Input<17>, Linear<64>, Tanh, Linear<64>, Tanh, Linear<6>> {};
struct Policy : Sequential<Input<4>, Linear<64>, ReLU, Linear<64>, ReLU, Linear<2>> {};
struct Tabular : Sequential<Input<13>, Linear<40>, Tanh, Linear<20>, Sigmoid, Linear<5>> {};
struct GrayImages : Sequential<Input<1, 32, 32>, Conv2d<16, 3>, MaxPool2d<2>, ReLU, Conv2d<32, 2>, MaxPool2d<2>, ReLU,
                               Conv2d<64, 2>, MaxPool2d<2>, ReLU, Flatten, Linear<200>, ReLU, Linear<10>> {};

struct LeNet5 : Sequential<Input<1, 28, 28>, Conv2d<6, 5, Padding<2>>, Tanh, AvgPool2d<2>, Conv2d<16, 5>, Tanh,
                           AvgPool2d<2>, Flatten, Linear<120>, Tanh, Linear<84>, Tanh, Linear<10>> {};
struct Vgg : Sequential<Input<3, 32, 32>, Conv2d<32, 3, Padding<1>>, ReLU, Conv2d<32, 3, Padding<1>>, ReLU,
                        MaxPool2d<2>, Conv2d<64, 3, Padding<1>>, ReLU, Conv2d<64, 3, Padding<1>>, ReLU, MaxPool2d<2>,
                        Flatten, Linear<256>, ReLU, Linear<10>> {};

template <int Channels, int Kernel, auto... Options>
using Same = Conv2d<Channels, Kernel, Padding<Kernel / 2>, NoBias, Options...>;
template <int Channels>
using Half = Residual<Path<Same<Channels, 3, Stride<2>>, BatchNorm2d<>, ReLU, Same<Channels, 3>, BatchNorm2d<>>,
                      Shortcut<Same<Channels, 1, Stride<2>>, BatchNorm2d<>>>;
struct ResNet8 : Sequential<Input<3, 32, 32>, Same<16, 3>, BatchNorm2d<>, ReLU,
                            Residual<Path<Same<16, 3>, BatchNorm2d<>, ReLU, Same<16, 3>, BatchNorm2d<>>>, ReLU,
                            Half<32>, ReLU, Half<64>, ReLU, AvgPool2d<8>, Flatten, Linear<10>> {};

/// A depthwise convolution of `In` channels, and one of single pixels.
template <int In, int Out, auto... Options>
using Separable = Path<Same<In, 3, Groups<In>, Options...>, BatchNorm2d<>, ReLU, Same<Out, 1>, BatchNorm2d<>, ReLU>;
struct Mobile : Sequential<Input<3, 32, 32>, Same<16, 3>, BatchNorm2d<>, ReLU, Separable<16, 32, Stride<2>>,
                           Separable<32, 64, Stride<2>>, Separable<64, 64>, Separable<64, 128, Stride<2>>, AvgPool2d<4>,
                           Flatten, Linear<10>> {};
struct Decoder
    : Sequential<Input<64>, Linear<64 * 7 * 7>, ReLU, Reshape<64, 7, 7>, ConvTranspose2d<32, 4, Stride<2>, Padding<1>>,
                 ReLU, ConvTranspose2d<1, 4, Stride<2>, Padding<1>>, Flatten> {};
/// A block of a transformer, 32 steps of 64 numbers.
struct Encoder : Sequential<Input<32, 64>, TransformerEncoderLayer<64, 4, 128>, Flatten> {};
/// Windows that do not overlap, and a row of results whose pixels exceed a second cache.
struct Patches : Sequential<Input<3, 64, 64>, Conv2d<64, 8, Stride<8>>> {};
struct LongSequence : Sequential<Input<256, 512>, Conv1d<512, 5>> {};

}  // namespace bench
