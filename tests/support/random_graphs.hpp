// SPDX-License-Identifier: MIT
// Written by make_random_graphs.py: change that, and write this anew.
#pragma once

#include "sinter/layers/recurrent.hpp"
#include "support/heads_networks.hpp"
#include "support/shared_networks.hpp"

/// Networks drawn by seed. Odd sizes, branches, normalisations and shared layers are at random places.
namespace sinter_test::random_graphs {
using namespace sinter::internal;

// clang-format off
struct Graph0 : Sequential<Input<4, 9>, Conv1d<3, 4, Padding<2>, Stride<1>>, Tanh, Conv1d<6, 3, Padding<1>, Stride<2>>, Tanh, Heads<Path<Flatten, Linear<2>>, Path<Flatten, Linear<3>, Tanh, Linear<2>>>> {};
struct Graph1 : Sequential<Input<11>, Residual<Path<Linear<12>, ReLU, Linear<6>>, Shortcut<Linear<6>>>, Sigmoid, Highway<Path<Linear<6>, ReLU>, Path<Linear<6>>>, Linear<10>, Tanh, Linear<6>> {};
struct Graph2 : Sequential<Input<4, 6>, Conv1d<5, 3, Padding<1>, Stride<2>>, SiLU, Conv1d<4, 1, NoBias>, BatchNorm1d<>, Sigmoid, Heads<Path<Flatten, Linear<5>>, Path<Flatten, Linear<3>, Tanh, Linear<2>>>> {};
struct Graph3 : Sequential<Input<8>, Linear<8>, Sigmoid, Linear<11>, Dropout<0.3>, ReLU, Linear<7>> {};
struct Graph4 : Sequential<Input<4>, Residual<Path<Linear<5>, ReLU, Linear<1>>, Shortcut<Linear<1>>>, SiLU, Concat<Path<>, Path<Linear<3>, Sigmoid>>, Sigmoid, Linear<3>> {};
struct Graph5 : Sequential<Input<3, 7, 8>, Conv2d<6, 2, Groups<3>>, SiLU, Residual<Path<Conv2d<6, 3, Padding<1>>, Sigmoid, Conv2d<6, 3, Padding<1>>>>, Tanh, Conv2d<1, 1, NoBias>, GroupNorm<1>, Tanh> {};
struct Graph6 : Sequential<Input<4, 9>, Residual<Path<Conv1d<4, 2, Causal>, ReLU, Conv1d<4, 1>>>, ReLU, Residual<Path<Conv1d<2, 4, Causal>, Sigmoid, Conv1d<4, 1>>>, Tanh, Heads<Path<Flatten, Linear<4>>, Path<Flatten, Linear<3>, Tanh, Linear<2>>>> {};
struct Graph7 : Sequential<Input<1, 7, 4>, Conv2d<1, 2, Padding<1>, Stride<1>>, ReLU, Residual<Path<Conv2d<1, 3, Padding<1>, NoBias>, BatchNorm2d<>, Tanh, Conv2d<1, 3, Padding<1>>>>, ReLU, Residual<Path<Conv2d<4, 3, Stride<2>, Padding<1>, NoBias>, BatchNorm2d<>, ReLU>, Shortcut<Conv2d<4, 1, Stride<2>>>>, SiLU, Flatten, Linear<7>> {};
struct Graph8 : Sequential<Input<12>, Linear<2>, Dropout<0.3>, Sigmoid, Concat<Path<Linear<3>, SiLU>, Path<Dropout<0.4>>, Path<Linear<2>>>, SiLU, Linear<3>> {};
struct Graph9 : Sequential<Input<2, 4, 8>, Residual<Path<Conv2d<6, 3, Stride<2>, Padding<1>>, Tanh, Conv2d<6, 1>>, Shortcut<Conv2d<6, 1, Stride<2>>>>, ReLU, Concat<Path<>, Path<Conv2d<5, 3, Padding<1>>, ReLU>>, ReLU, Conv2d<3, 1>, ReLU, Heads<Path<Flatten, Linear<5>>, Path<Flatten, Linear<3>, Tanh, Linear<2>>>> {};
struct Graph10 : Sequential<Input<2, 6, 5>, Residual<Path<Conv2d<4, 3, Stride<2>, Padding<1>, NoBias>, BatchNorm2d<>, SiLU>, Shortcut<Conv2d<4, 1, Stride<2>>>>, ReLU, ConvTranspose2d<6, 2, Stride<2>>, SiLU, Concat<Path<Conv2d<3, 1>>, Path<MaxPool2d<3, Stride<1>, Padding<1>>>>, Sigmoid, Heads<Path<Flatten, Linear<1>>, Path<Flatten, Linear<3>, Tanh, Linear<2>>>> {};
struct Graph11 : Sequential<Input<2, 8, 6>, Concat<Path<Conv2d<2, 3, Padding<1>>, Tanh>, Path<Dropout2d<0.4>>, Path<Residual<Path<Conv2d<2, 1>>>>>, ReLU, Concat<Path<>, Path<Conv2d<1, 3, Padding<1>>, ReLU>>, SiLU, Conv2d<4, 2, Padding<1>, Stride<1>>, SiLU, Heads<Path<Flatten, Linear<1>>, Path<Flatten, Linear<3>, Tanh, Linear<2>>>> {};
struct Graph12 : Sequential<Input<2, 7, 4>, Concat<Path<Conv2d<2, 1>>, Path<MaxPool2d<3, Stride<1>, Padding<1>>>>, Tanh, Conv2d<1, 2, Padding<1>, Stride<1>>, Sigmoid> {};
struct Graph13 : Sequential<Input<3, 7, 8>, Concat<Path<>, Path<Conv2d<1, 3, Padding<1>>, ReLU>>, Tanh, Conv2d<2, 2, NoBias>, BatchNorm2d<>, ReLU, Flatten, Linear<3>> {};
struct Graph14 : Sequential<Input<10>, Linear<4>, Dropout<0.3>, SiLU, Residual<Path<Linear<8>, Sigmoid, Linear<4>>>, Sigmoid, Linear<10, NoBias>, BatchNorm1d<>, ReLU> {};
struct Graph15 : Sequential<Input<1, 11>, Residual<Path<Conv1d<1, 4, Causal>, SiLU, Conv1d<1, 1>>>, SiLU, Residual<Path<Conv1d<2, 2, Causal>, SiLU, Conv1d<1, 1>>>, ReLU, Flatten, Linear<3>> {};
struct Graph16 : Sequential<Input<2, 6, 6>, Conv2d<2, 2, Padding<1>, Stride<1>>, Sigmoid, Conv2d<1, 3, NoBias>, GroupNorm<1>, ReLU> {};
struct Graph17 : Sequential<Input<3, 8, 5>, Conv2d<4, 1, Padding<0>, Stride<1>>, Sigmoid, Conv2d<2, 2, NoBias>, GroupNorm<2>, Sigmoid, Conv2d<3, 3, Padding<1>, Stride<1>>, SiLU> {};
struct Graph18 : Sequential<Input<9>, Residual<Path<Linear<6, NoBias>, BatchNorm1d<>, ReLU>, Shortcut<Linear<6>>>, Tanh, Concat<Path<Tanh>, Path<Residual<Path<Linear<6>>>>>, ReLU> {};
struct Graph19 : Sequential<Input<3, 6, 6>, Conv2d<2, 1, NoBias>, BatchNorm2d<>, SiLU, Conv2d<2, 1, NoBias>, BatchNorm2d<>, ReLU, Heads<Path<Flatten, Linear<2>>, Path<Flatten, Linear<3>, Tanh, Linear<2>>>> {};
struct Graph20 : Sequential<Input<3, 12>, Concat<Path<>, Path<Conv1d<4, 4, Causal>, ReLU>>, Tanh, Conv1d<3, 4, Causal, Dilation<1>>, ReLU, Conv1d<3, 1, Padding<0>, Stride<2>>, SiLU, Flatten, Linear<4>> {};
struct Shared21 : Shared<Linear<9>, Sigmoid> {};
struct Graph21 : Sequential<Input<9>, Shared21, LayerNorm<>, Shared21, Linear<3>, Tanh, Linear<8>, ReLU> {};
struct Graph22 : Sequential<Input<1, 6>, Conv1d<1, 3, NoBias>, GroupNorm<1>, ReLU, Conv1d<6, 1>, ReLU, AvgPool1d<2>, Conv1d<6, 2, Causal, Dilation<2>>, Sigmoid, Heads<Path<Flatten, Linear<2>>, Path<Flatten, Linear<3>, Tanh, Linear<2>>>> {};
struct Graph23 : Sequential<Input<4, 13>, Conv1d<3, 3, Causal, Dilation<1>>, Tanh, Conv1d<2, 2, Causal, Dilation<1>>, Tanh, Heads<Path<Flatten, Linear<3>>, Path<Flatten, Linear<3>, Tanh, Linear<2>>>> {};
struct Graph24 : Sequential<Input<3, 4, 8>, Conv2d<1, 3, Padding<1>, Stride<1>>, Sigmoid, Residual<Path<Conv2d<5, 3, Padding<1>, NoBias>, BatchNorm2d<>, Sigmoid, Conv2d<1, 3, Padding<1>>>>, SiLU, Flatten, Linear<5>> {};
struct Graph25 : Sequential<Input<3, 8, 5>, Conv2d<1, 3, NoBias>, BatchNorm2d<>, Sigmoid, Concat<Path<Conv2d<4, 3, Padding<1>>, Tanh>, Path<Dropout2d<0.4>>, Path<Residual<Path<Conv2d<1, 1>>>>>, Tanh, Conv2d<4, 3, NoBias>, BatchNorm2d<>, Sigmoid, Flatten, Linear<2>> {};
struct Graph26 : Sequential<Input<1, 5, 7>, Concat<Path<Conv2d<5, 1>>, Path<MaxPool2d<3, Stride<1>, Padding<1>>>>, Sigmoid, Conv2d<6, 2, NoBias>, GroupNorm<2>, SiLU> {};
struct Shared27 : Shared<Conv2d<3, 3, Padding<1>>, Tanh> {};
struct Graph27 : Sequential<Input<3, 8, 4>, Shared27, Sigmoid, Shared27, Residual<Path<Conv2d<1, 3, Stride<2>, Padding<1>, NoBias>, BatchNorm2d<>, Tanh>, Shortcut<Conv2d<1, 1, Stride<2>>>>, SiLU> {};
struct Graph28 : Sequential<Input<4>, Residual<Path<Linear<2, NoBias>, BatchNorm1d<>, ReLU>, Shortcut<Linear<2>>>, ReLU, Linear<11, NoBias>, BatchNorm1d<>, ReLU, Linear<3>, ReLU> {};
struct Graph29 : Sequential<Input<2, 8, 5>, Conv2d<3, 3, Padding<1>, Stride<1>>, ReLU, Conv2d<3, 3, NoBias>, BatchNorm2d<>, ReLU, Conv2d<5, 2, NoBias>, BatchNorm2d<>, Tanh, Flatten, Linear<6>> {};
struct Graph30 : Sequential<Input<1, 4, 7>, Conv2d<2, 2, Groups<1>>, ReLU, Conv2d<6, 3, NoBias>, BatchNorm2d<>, Tanh, Flatten, Linear<7>> {};
struct Shared31 : Shared<Linear<2>, Sigmoid> {};
struct Graph31 : Sequential<Input<4>, Linear<2, NoBias>, BatchNorm1d<>, Sigmoid, Shared31, Sigmoid, Shared31, Linear<5>> {};
struct Shared32 : Shared<Linear<5>, Tanh> {};
struct Graph32 : Sequential<Input<5>, Shared32, LayerNorm<>, Shared32, Concat<Path<Slice<0, 3>, Linear<7>>, Path<Slice<2, 3>>>, SiLU> {};
struct Graph33 : Sequential<Input<2, 8, 5>, Concat<Path<Conv2d<6, 1>>, Path<MaxPool2d<3, Stride<1>, Padding<1>>>>, Tanh, Conv2d<16, 2, Groups<8>>, SiLU, Conv2d<3, 1>, Sigmoid, Conv2d<2, 2, Padding<1>, Stride<1>>, ReLU, Heads<Path<Flatten, Linear<4>>, Path<Flatten, Linear<3>, Tanh, Linear<2>>>> {};
struct Graph34 : Sequential<Input<2, 8, 8>, Conv2d<6, 2, NoBias>, BatchNorm2d<>, ReLU, Concat<Path<Conv2d<1, 3, Padding<1>>, Tanh>, Path<Dropout2d<0.4>>, Path<Residual<Path<Conv2d<6, 1>>>>>, Sigmoid, Conv2d<3, 1>, ReLU, Conv2d<2, 2, NoBias>, GroupNorm<2>, ReLU> {};
struct Shared35 : Shared<Conv2d<3, 3, Padding<1>>, SiLU> {};
struct Graph35 : Sequential<Input<3, 7, 8>, Shared35, Dropout<0.2>, Shared35, Residual<Path<Conv2d<5, 3, Padding<1>>, ReLU, Conv2d<3, 3, Padding<1>>>>, SiLU, Flatten, Linear<6>> {};
struct Graph36 : Sequential<Input<3, 8, 8>, Conv2d<1, 2, NoBias>, GroupNorm<1>, SiLU, Residual<Path<Conv2d<4, 3, Stride<2>, Padding<1>>, Tanh, Conv2d<4, 1>>, Shortcut<Conv2d<4, 1, Stride<2>>>>, SiLU, Conv2d<5, 1>, Dropout2d<0.3>, ReLU, MaxPool2d<2>> {};
struct Graph37 : Sequential<Input<1, 7, 8>, Residual<Path<Conv2d<4, 3, Stride<2>, Padding<1>, NoBias>, BatchNorm2d<>, Tanh>, Shortcut<Conv2d<4, 1, Stride<2>>>>, Sigmoid, Concat<Path<Conv2d<2, 1>>, Path<MaxPool2d<3, Stride<1>, Padding<1>>>>, SiLU, Conv2d<6, 1, Padding<0>, Stride<1>>, SiLU, Flatten, Linear<4>> {};
struct Graph38 : Sequential<Input<2, 7, 4>, Conv2d<4, 1>, Dropout2d<0.3>, ReLU, MaxPool2d<2>, Conv2d<3, 2, NoBias>, BatchNorm2d<>, Sigmoid, Conv2d<4, 1, NoBias>, BatchNorm2d<>, Sigmoid, Flatten, Linear<5>> {};
struct Graph39 : Sequential<Input<6>, Concat<Path<Linear<7>, ReLU>, Path<Dropout<0.4>>, Path<Linear<2>>>, ReLU, Linear<10>, Dropout<0.3>, ReLU> {};
struct Graph40 : Sequential<Input<3, 4, 5>, ConvTranspose2d<1, 2, Stride<2>>, Sigmoid, Conv2d<1, 3, Padding<1>, Stride<2>>, Tanh, Conv2d<3, 3, NoBias>, BatchNorm2d<>, Sigmoid, Flatten, Linear<7>> {};
struct Graph41 : Sequential<Input<1, 4, 8>, Concat<Path<Conv2d<4, 1>>, Path<MaxPool2d<3, Stride<1>, Padding<1>>>>, Sigmoid, Conv2d<6, 2, Padding<1>, Stride<1>>, Sigmoid, Concat<Path<Conv2d<5, 1>>, Path<MaxPool2d<3, Stride<1>, Padding<1>>>>, ReLU, Conv2d<3, 1>, Sigmoid, Flatten, Linear<7>> {};
struct Shared42 : Shared<Conv2d<2, 3, Padding<1>>, SiLU> {};
struct Graph42 : Sequential<Input<1, 5, 5>, Residual<Path<Conv2d<6, 3, Padding<1>>, Sigmoid, Conv2d<1, 3, Padding<1>>>>, ReLU, Concat<Path<Conv2d<1, 1>>, Path<MaxPool2d<3, Stride<1>, Padding<1>>>>, ReLU, Shared42, Dropout<0.2>, Shared42, Flatten, Linear<7>> {};
struct Shared43 : Shared<Linear<9>, Tanh> {};
struct Graph43 : Sequential<Input<9>, Shared43, Dropout<0.2>, Shared43, Residual<Path<Linear<6>, ReLU, Linear<9>>>, SiLU, Heads<Path<Linear<4>>, Path<Linear<3>, Tanh, Linear<2>>>> {};
struct Graph44 : Sequential<Input<2, 8, 4>, Conv2d<1, 1, Padding<0>, Stride<1>>, ReLU, Conv2d<6, 3, Padding<1>>, AvgPool2d<2>, Tanh, Flatten, Linear<2>> {};
struct Shared45 : Shared<Conv2d<2, 3, Padding<1>>, SiLU> {};
struct Graph45 : Sequential<Input<2, 4, 5>, Conv2d<2, 1, NoBias>, GroupNorm<2>, ReLU, Shared45, Dropout<0.2>, Shared45> {};
struct Graph46 : Sequential<Input<2, 10>, Concat<Path<>, Path<Conv1d<4, 3, Causal>, ReLU>>, ReLU, Concat<Path<>, Path<Conv1d<2, 4, Causal>, ReLU>>, ReLU, Concat<Path<>, Path<Conv1d<4, 4, Causal>, SiLU>>, ReLU, Conv1d<3, 1>, SiLU, Flatten, Linear<2>> {};
struct Graph47 : Sequential<Input<2, 6, 5>, Conv2d<1, 2, Padding<1>, Stride<1>>, ReLU, Residual<Path<Conv2d<6, 3, Stride<2>, Padding<1>>, ReLU, Conv2d<6, 1>>, Shortcut<Conv2d<6, 1, Stride<2>>>>, SiLU, Conv2d<2, 1>, Dropout2d<0.3>, Tanh, MaxPool2d<3, Stride<2>, Padding<1>>, Flatten, Linear<6>> {};
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
