// SPDX-License-Identifier: MIT
// Written by make_random_graphs.py: change that, and write this anew.
#pragma once

#include "sinter/layers/all.hpp"
#include "support/heads_networks.hpp"
#include "support/shared_networks.hpp"

/// Networks drawn by seed. Odd sizes, branches, normalisations and shared layers are at random places.
namespace sinter_test::random_graphs {
using namespace sinter::internal;

// clang-format off
struct Graph0 : Sequential<Input<4, 9>, Conv1d<3, 1>, Tanh, MaxPool1d<2>, Conv1d<6, 3, NoBias>, GroupNorm<1>, Tanh, Heads<Path<Flatten, Linear<5>>, Path<Tanh>>> {};
struct Graph1 : Sequential<Input<11>, Concat<Path<Tanh>, Path<Residual<Path<Linear<11>>>>>, ReLU, Product<Path<Linear<1>, Sigmoid>, Path<Linear<1>>>, Linear<10>, Tanh, Linear<6>> {};
struct Graph2 : Sequential<Input<4, 6>, Conv1d<5, 1>, SiLU, AvgPool1d<2>, Residual<Path<Conv1d<4, 1, Causal>, Sigmoid, Conv1d<5, 1>>>, ReLU, Heads<Path<Flatten, Linear<5>>, Path<Flatten, Linear<3>, Tanh, Linear<2>>>> {};
struct Graph3 : Sequential<Input<8>, Linear<8>, Sigmoid, Residual<Path<Linear<11>, ReLU, Linear<8>>>, ReLU> {};
struct Graph4 : Sequential<Input<4>, Residual<Path<Linear<5>, ReLU, Linear<1>>, Shortcut<Linear<1>>>, SiLU, Concat<Path<>, Path<Linear<3>, Sigmoid>>, Sigmoid, Linear<3>> {};
struct Graph5 : Sequential<Input<3, 7, 8>, Conv2d<1, 1>, SiLU, AdaptiveAvgPool2d<4, 4>, Residual<Path<Conv2d<1, 3, Padding<1>, NoBias>, BatchNorm2d<>, SiLU, Conv2d<1, 3, Padding<1>>>>, Tanh, Conv2d<2, 1>, ReLU, AdaptiveAvgPool2d<2, 2>, Flatten, Linear<6>> {};
struct Graph6 : Sequential<Input<4, 9>, Residual<Path<MultiheadAttention<9, 1>>>, LayerNorm<>, Residual<Path<MultiheadAttention<9, 1>>>, LayerNorm<>, Heads<Path<Flatten, Linear<1>>, Path<Flatten, Linear<3>, Tanh, Linear<2>>>> {};
struct Graph7 : Sequential<Input<1, 7, 4>, Conv2d<1, 2, Padding<1>, Stride<1>>, ReLU, Concat<Path<Conv2d<1, 3, Padding<1>>, Tanh>, Path<Dropout2d<0.4>>, Path<Residual<Path<Conv2d<1, 1>>>>>, ReLU, Product<Path<Conv2d<4, 1>, Sigmoid>, Path<Conv2d<4, 3, Padding<1>>>>, Flatten, Linear<7>> {};
struct Shared8 : Shared<Linear<2>, Tanh> {};
struct Graph8 : Sequential<Input<12>, Linear<2>, Dropout<0.3>, Sigmoid, Shared8, SiLU, Shared8, Linear<4>> {};
struct Graph9 : Sequential<Input<2, 4, 8>, Conv2d<4, 1, Groups<2>>, Tanh, Conv2d<1, 2, NoBias>, BatchNorm2d<>, Sigmoid, Heads<Path<Flatten, Linear<2>>, Path<Tanh>>> {};
struct Graph10 : Sequential<Input<2, 6, 5>, Conv2d<4, 1, NoBias>, BatchNorm2d<>, SiLU, Conv2d<6, 3, Padding<1>, Stride<2>>, ReLU, Upsample<2>, Conv2d<3, 3>, Sigmoid, Heads<Path<Flatten, Linear<1>>, Path<Flatten, Linear<3>, Tanh, Linear<2>>>> {};
struct Graph11 : Sequential<Input<2, 8, 6>, ReplicationPad2d<1>, Conv2d<2, 2>, Tanh, Conv2d<2, 1, NoBias>, LayerNorm<NormalizedShape<9, 7>>, ReLU, ReflectionPad2d<1>, Conv2d<6, 3>, ReLU, Flatten, Linear<2>> {};
struct Shared12 : Shared<Conv2d<2, 3, Padding<1>>, Tanh> {};
struct Graph12 : Sequential<Input<2, 7, 4>, Conv2d<2, 3, NoBias>, BatchNorm2d<>, ReLU, Shared12, Sigmoid, Shared12, Flatten, Linear<6>> {};
struct Shared13 : Shared<Conv2d<1, 3, Padding<1>>, SiLU> {};
struct Graph13 : Sequential<Input<3, 7, 8>, Conv2d<1, 1, NoBias>, BatchNorm2d<>, ReLU, Shared13, Sigmoid, Shared13, Flatten, Linear<3>> {};
struct Graph14 : Sequential<Input<10>, Residual<Path<Linear<4>, SiLU, Linear<10>>>, Sigmoid, Highway<Path<Linear<10>, Sigmoid>, Path<Linear<10>>>, Linear<10, NoBias>, BatchNorm1d<>, ReLU> {};
struct Graph15 : Sequential<Input<1, 11>, Transpose<1, 2>, Conv1d<1, 1>, SiLU, Conv1d<6, 1, Causal, Dilation<2>>, SiLU, Flatten, Linear<3>> {};
struct Graph16 : Sequential<Input<2, 6, 6>, Conv2d<2, 2, Padding<1>, Stride<1>>, Sigmoid, Residual<Path<Conv2d<1, 3, Stride<2>, Padding<1>>, ReLU, Conv2d<1, 1>>, Shortcut<Conv2d<1, 1, Stride<2>>>>, SiLU, Flatten, Linear<7>> {};
struct Graph17 : Sequential<Input<3, 8, 5>, Conv2d<4, 1, Padding<0>, Stride<1>>, Sigmoid, Residual<Path<Conv2d<2, 3, Stride<2>, Padding<1>>, Sigmoid, Conv2d<2, 1>>, Shortcut<Conv2d<2, 1, Stride<2>>>>, SiLU, Conv2d<6, 1, NoBias>, LayerNorm<NormalizedShape<4, 3>>, Tanh, Flatten, Linear<6>> {};
struct Graph18 : Sequential<Input<9>, Concat<Path<Linear<6>, ReLU>, Path<Dropout<0.4>>, Path<Linear<2>>>, ReLU, Highway<Path<Linear<17>, ReLU>, Path<Linear<17>>>, Linear<6>> {};
struct Graph19 : Sequential<Input<3, 6, 6>, Residual<Path<Conv2d<2, 3, Padding<1>>, SiLU, Conv2d<3, 3, Padding<1>>>>, ReLU, Residual<Path<Conv2d<1, 3, Stride<2>, Padding<1>>, ReLU, Conv2d<1, 1>>, Shortcut<Conv2d<1, 1, Stride<2>>>>, ReLU, Flatten, Linear<3>> {};
struct Graph20 : Sequential<Input<3, 12>, Conv1d<4, 4>, ReLU, Flip<-1>, Product<Path<Conv1d<2, 2, Causal>, Sigmoid>, Path<Conv1d<2, 1>, Tanh>>, Residual<Path<Conv1d<2, 4, Causal>, ReLU, Conv1d<2, 1>>>, ReLU, Flatten, Linear<7>> {};
struct Graph21 : Sequential<Input<9>, Concat<Path<Slice<0, 5>, Linear<3>>, Path<Slice<4, 5>>>, Tanh, Concat<Path<>, Path<Linear<7>, SiLU>>, SiLU, Linear<8>, ReLU> {};
struct Graph22 : Sequential<Input<1, 6>, Conv1d<1, 1>, ReLU, AvgPool1d<2>, Transpose<1, 2>, Conv1d<6, 1>, ReLU, Conv1d<5, 1, Causal, Dilation<1>>, SiLU> {};
struct Graph23 : Sequential<Input<4, 13>, Conv1d<3, 3, Padding<1>, Stride<1>>, Tanh, Conv1d<2, 2, Causal, Dilation<1>>, Tanh, Heads<Path<Flatten, Linear<3>>, Path<Tanh>>> {};
struct Graph24 : Sequential<Input<3, 4, 8>, Conv2d<1, 3, NoBias>, GroupNorm<1>, Sigmoid, Conv2d<6, 2, NoBias>, SoftmaxAlong<3>, Flatten, Linear<5>> {};
struct Graph25 : Sequential<Input<3, 8, 5>, Residual<Path<Conv2d<1, 3, Padding<1>>, Sigmoid, Conv2d<3, 3, Padding<1>>>>, Tanh, Conv2d<1, 1, NoBias>, LayerNorm<NormalizedShape<8, 5>>, Tanh, Conv2d<4, 3, NoBias>, BatchNorm2d<>, Sigmoid, Flatten, Linear<2>> {};
struct Graph26 : Sequential<Input<1, 5, 7>, Conv2d<5, 1, Padding<0>, Stride<2>>, Sigmoid, Concat<Path<Conv2d<6, 3, Padding<1>>, Sigmoid>, Path<Dropout2d<0.4>>, Path<Residual<Path<Conv2d<5, 1>>>>>, Sigmoid, Conv2d<3, 1>, SiLU, Flatten, Linear<7>> {};
struct Graph27 : Sequential<Input<3, 8, 4>, Conv2d<2, 1, NoBias>, RMSNorm<NormalizedShape<4>>, SiLU, Conv2d<3, 1>, SiLU, AdaptiveAvgPool2d<4, 2>, Flatten, Linear<7>> {};
struct Graph28 : Sequential<Input<4>, Concat<Path<>, Path<Linear<2>, ReLU>>, ReLU, Linear<11, NoBias>, BatchNorm1d<>, ReLU, Linear<6, NoBias>, LayerNorm<>, ReLU, Linear<7>> {};
struct Shared29 : Shared<Conv2d<3, 3, Padding<1>>, Tanh> {};
struct Graph29 : Sequential<Input<2, 8, 5>, Conv2d<3, 3, NoBias>, BatchNorm2d<>, ReLU, Residual<Path<Conv2d<3, 3, Stride<2>, Padding<1>>, ReLU, Conv2d<3, 1>>, Shortcut<Conv2d<3, 1, Stride<2>>>>, Tanh, Shared29, Sigmoid, Shared29, Heads<Path<Flatten, Linear<4>>, Path<Tanh>>> {};
struct Graph30 : Sequential<Input<1, 4, 7>, Conv2d<12, 3, Stride<3>>, ReLU, Conv2d<3, 1>, Tanh, Conv2d<6, 1, Padding<0>, Stride<1>>, SiLU, Flatten, Linear<7>> {};
struct Graph31 : Sequential<Input<4>, Linear<2, NoBias>, BatchNorm1d<>, Sigmoid, Highway<Path<Linear<2>, Sigmoid>, Path<Linear<2>>>, Heads<Path<Linear<1>>, Path<Linear<3>, Tanh, Linear<2>>>> {};
struct Graph32 : Sequential<Input<5>, Highway<Path<Linear<5>, SiLU>, Path<Linear<5>>>, Product<Path<Linear<7>, Sigmoid>, Path<Linear<7>>>, Heads<Path<Linear<5>>, Path<Linear<3>, Tanh, Linear<2>>>> {};
struct Shared33 : Shared<Conv2d<6, 3, Padding<1>>, SiLU> {};
struct Graph33 : Sequential<Input<2, 8, 5>, ReflectionPad2d<1>, Conv2d<6, 1>, SiLU, Shared33, Sigmoid, Shared33, Conv2d<2, 2, Padding<1>, Stride<2>>, ReLU, Heads<Path<Flatten, Linear<5>>, Path<Tanh>>> {};
struct Graph34 : Sequential<Input<2, 8, 8>, Residual<Path<Conv2d<6, 3, Stride<2>, Padding<1>, NoBias>, BatchNorm2d<>, ReLU>, Shortcut<Conv2d<6, 1, Stride<2>>>>, Tanh, Conv2d<2, 1>, ReLU, Transpose<1, 2>, PReLU<>, Conv2d<8, 1, Groups<4>>, ReLU> {};
struct Graph35 : Sequential<Input<3, 7, 8>, Conv2d<4, 3, NoBias>, GroupNorm<2>, SiLU, Product<Path<Conv2d<3, 1>, Sigmoid>, Path<Conv2d<3, 3, Padding<1>>>>> {};
struct Graph36 : Sequential<Input<3, 8, 8>, Residual<Path<Conv2d<1, 3, Padding<1>, NoBias>, BatchNorm2d<>, SiLU, Conv2d<3, 3, Padding<1>>>>, Tanh, Conv2d<4, 1, NoBias>, LayerNorm<NormalizedShape<8, 8>>, Tanh, Concat<Path<>, Path<Conv2d<5, 3, Padding<1>>, ReLU>>, Tanh> {};
struct Graph37 : Sequential<Input<1, 7, 8>, Conv2d<2, 2, Groups<1>>, Tanh, Residual<Path<Conv2d<5, 3, Padding<1>>, ReLU, Conv2d<2, 3, Padding<1>>>>, Sigmoid, Conv2d<6, 1, NoBias>, RMSNorm<NormalizedShape<7>>, Tanh, Flatten, Linear<3>> {};
struct Graph38 : Sequential<Input<2, 7, 4>, Concat<Path<>, Path<Conv2d<4, 3, Padding<1>>, ReLU>>, ReLU, Product<Path<Conv2d<3, 1>, Sigmoid>, Path<Conv2d<3, 3, Padding<1>>>>, Conv2d<4, 2, NoBias>, BatchNorm2d<>, ReLU, Flatten, Linear<4>> {};
struct Shared39 : Shared<Linear<6>, Tanh> {};
struct Graph39 : Sequential<Input<6>, Shared39, Dropout<0.2>, Shared39, Residual<Path<Linear<10>, ReLU, Linear<6>>>, SiLU, Linear<2>> {};
struct Graph40 : Sequential<Input<3, 4, 5>, Conv2d<2, 2, NoBias>, SoftmaxAlong<2>, ReflectionPad2d<1>, Conv2d<6, 1>, ReLU, Product<Path<Conv2d<6, 1>, Sigmoid>, Path<Conv2d<6, 3, Padding<1>>>>, Flatten, Linear<7>> {};
struct Shared41 : Shared<Conv2d<4, 3, Padding<1>>, Tanh> {};
struct Graph41 : Sequential<Input<1, 4, 8>, Conv2d<4, 2, NoBias>, BatchNorm2d<>, Sigmoid, Shared41, Dropout<0.2>, Shared41, ZeroPad2d<1>, Conv2d<2, 2>, Sigmoid> {};
struct Graph42 : Sequential<Input<1, 5, 5>, Concat<Path<>, Path<Conv2d<6, 3, Padding<1>>, Sigmoid>>, ReLU, ReflectionPad2d<1>, Conv2d<1, 1>, Tanh, Conv2d<4, 3, Padding<1>, Stride<2>>, ReLU, Heads<Path<Flatten, Linear<1>>, Path<Tanh>>> {};
struct Graph43 : Sequential<Input<9>, Concat<Path<Slice<0, 5>, Linear<9>>, Path<Slice<4, 5>>>, Tanh, Linear<6>, Tanh, Linear<4>> {};
struct Graph44 : Sequential<Input<2, 8, 4>, Conv2d<1, 1, NoBias>, BatchNorm2d<>, ReLU, Concat<Path<Conv2d<5, 3, Padding<1>>, SiLU>, Path<Dropout2d<0.4>>, Path<Residual<Path<Conv2d<1, 1>>>>>, ReLU, Flatten, Linear<7>> {};
struct Graph45 : Sequential<Input<2, 4, 5>, Residual<Path<Conv2d<2, 3, Stride<2>, Padding<1>>, ReLU, Conv2d<2, 1>>, Shortcut<Conv2d<2, 1, Stride<2>>>>, ReLU, Conv2d<8, 1>, Sigmoid, PixelShuffle<2>, Flatten, Linear<7>> {};
struct Graph46 : Sequential<Input<2, 10>, Product<Path<Conv1d<4, 3, Causal>, Sigmoid>, Path<Conv1d<4, 1>, Tanh>>, Conv1d<1, 2>, ReLU, Flip<-1>, Concat<Path<>, Path<Conv1d<1, 4, Causal>, SiLU>>, SiLU> {};
struct Graph47 : Sequential<Input<2, 6, 5>, Conv2d<1, 2, Padding<1>, Stride<1>>, ReLU, Conv2d<2, 2, Groups<1>>, ReLU, Conv2d<6, 1>, Dropout2d<0.3>, SiLU, AvgPool2d<2>> {};
struct Graph1000 : Sequential<Input<6, 4>, Residual<Path<GRU<4>>>> {};
struct Graph1001 : Sequential<Input<6, 1>, LSTM<2>, Sigmoid, Residual<Path<LSTM<2>>>, GRU<7, NumLayers<2>, DropoutBetween<0.3>, FinalState>, Tanh, Linear<2>> {};
struct Graph1002 : Sequential<Input<4, 3>, Dropout<0.3>, RNN<5>> {};
struct Shared1003 : Shared<RNN<5>> {};
struct Graph1003 : Sequential<Input<4, 2>, Dropout<0.3>, GRU<5, NumLayers<2>, DropoutBetween<0.3>>, Shared1003, Dropout<0.2>, Shared1003, RNN<3, Bidirectional, FinalState>> {};
struct Graph1004 : Sequential<Input<3, 5>, LSTM<6, NumLayers<2>, DropoutBetween<0.3>>, GRU<7>, Tanh, RNN<2, NumLayers<2>, DropoutBetween<0.3>, FinalState>> {};
struct Graph1005 : Sequential<Input<4, 5>, Dropout<0.3>, LSTM<6>, GRU<4>, LayerNorm<>, GRU<2, NumLayers<2>, NoBias, DropoutBetween<0.3>, FinalState>, Linear<3>> {};
struct Graph1006 : Sequential<Input<3, 2>, Concat<Path<GRU<8>, Tanh>, Path<LSTM<8, NoBias>>>> {};
struct Graph1007 : Sequential<Input<6, 5>, Residual<Path<GRU<5>>>, GRU<4, Bidirectional>, LSTM<2, FinalState>, Tanh, Linear<2>> {};
struct Graph1008 : Sequential<Input<4, 5>, Concat<Path<GRU<9>, Tanh>, Path<LSTM<9, NoBias>>>, RNN<4, NumLayers<2>, DropoutBetween<0.3>, FinalState>> {};
struct Graph1009 : Sequential<Input<2, 3>, Concat<Path<GRU<9>, Tanh>, Path<LSTM<9, NoBias>>>> {};
struct Graph1010 : Sequential<Input<5, 5>, RNN<5, NumLayers<2>, DropoutBetween<0.3>>, GRU<6, NoBias, FinalState>, Linear<3>> {};
struct Graph1011 : Sequential<Input<3, 1>, Dropout<0.3>, GRU<8, NoBias>, Flatten, Linear<3>> {};

using All = TypeList<Graph0, Graph1, Graph2, Graph3, Graph4, Graph5, Graph6, Graph7, Graph8, Graph9, Graph10, Graph11, Graph12, Graph13, Graph14, Graph15, Graph16, Graph17, Graph18, Graph19, Graph20, Graph21, Graph22, Graph23, Graph24, Graph25, Graph26, Graph27, Graph28, Graph29, Graph30, Graph31, Graph32, Graph33, Graph34, Graph35, Graph36, Graph37, Graph38, Graph39, Graph40, Graph41, Graph42, Graph43, Graph44, Graph45, Graph46, Graph47>;
using Sequences = TypeList<Graph1000, Graph1001, Graph1002, Graph1003, Graph1004, Graph1005, Graph1006, Graph1007, Graph1008, Graph1009, Graph1010, Graph1011>;
// clang-format on

}  // namespace sinter_test::random_graphs
