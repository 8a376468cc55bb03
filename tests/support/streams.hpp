// SPDX-License-Identifier: MIT
#pragma once

#include <sinter/inference.hpp>

namespace sinter_test::streams {
using namespace sinter;

// What keeps numbers from moment to moment, with sizes below and beyond a pack, and what is pointwise around it.

struct Amplifier : Sequential<Input<1, 90>, Conv1d<8, 16, Causal>, Tanh, Conv1d<1, 1>> {};
template <int Apart>
struct Gate : Product<Path<Conv1d<18, 3, Causal, Dilation<Apart>>, Tanh>,
                      Path<Conv1d<18, 3, Causal, Dilation<Apart>, NoBias>, Sigmoid>> {};
template <int Apart>
struct Block : Residual<Path<Gate<Apart>, Conv1d<6, 1>>> {};
struct WaveNet : Sequential<Input<2, 90>, Conv1d<6, 2, Causal>, Block<1>, Block<2>, Block<16>, BatchNorm1d<>, PReLU<>,
                            Conv1d<3, 1>, PReLU<PerChannel>> {};
/// Branches that look ahead by 2 moments and by 1, the first or the second one further, and windows without padding.
struct Ahead : Sequential<Input<2, 90>, Residual<Path<Conv1d<5, 5, Padding<2>>>, Shortcut<Conv1d<5, 3, Padding<1>>>>,
                          Residual<Path<Conv1d<5, 7, Padding<3>>, ReLU>>,
                          Residual<Path<Conv1d<5, 1>>, Shortcut<Conv1d<5, 3, Padding<1>>>>,
                          Concat<Path<Slice<1, 3>>, Path<Conv1d<4, 3, Padding<1>>>>,
                          Maximum<Path<Conv1d<9, 1>>, Path<Conv1d<9, 2, Causal>>>, Conv1d<3, 4>, Dropout<0.2>> {};
/// Fewer numbers than moments, and windows in groups.
struct Pools : Sequential<Input<2, 131>, Conv1d<20, 4, Stride<2>, Causal>, MaxPool1d<2>, ReLU,
                          Conv1d<40, 3, Groups<5>, Padding<1>>, AvgPool1d<3, Stride<1>>,
                          Conv1d<40, 2, Groups<40>, Causal>, MaxPool1d<3, Padding<1>, Stride<2>>, Conv1d<3, 1>> {};
/// A pool that rides on a convolution where the sequence is whole, and one that does not, of zeros with a sign.
struct Means : Sequential<Input<1, 60>, Conv1d<3, 2, Causal>, AvgPool1d<2>, AvgPool1d<3, Padding<1>>> {};
struct Steps : Sequential<Input<50, 3>, GRU<9>, Residual<Path<LSTM<9>>>, LayerNorm<NormalizedShape<9>>,
                          PositionwiseLinear<5>, RNN<17, NoBias>, SoftmaxAlong<-1>> {};
struct Policy : Sequential<Input<40, 4>, GRU<33, FinalState>, Linear<20>, LayerNorm<>, Tanh,
                           Concat<Path<>, Path<Linear<3>, ReLU>>, BatchNorm1d<>,
                           Maximum<Path<Linear<19>>, Path<Linear<19>>>, Linear<5>, LogSoftmax> {};
/// The state as many rows, and as matrices.
struct Table : Sequential<Input<20, 3>, GRU<64, FinalState>, Reshape<32, 2>, SoftmaxAlong<2>, Reshape<8, 8>,
                          MatrixProduct<Path<>, Path<>, TransposeSecond>, PositionalEncoding> {};
/// Convolutions before a cell, as a series and as steps.
struct Heard : Sequential<Input<2, 64>, Conv1d<7, 3, Causal, Stride<2>>, ReLU, BatchNorm1d<>, Transpose<1, 2>,
                          LSTM<8, NumLayers<2>>, RMSNorm<NormalizedShape<8>>, Transpose<1, 2>, Conv1d<2, 3, Causal>> {};
struct Words : Sequential<Input<40>, Embedding<20, 6, ChannelsFirst>, Conv1d<8, 3, Causal>, ReLU, Transpose<1, 2>,
                          GRU<7, FinalState>, Linear<20>> {};
/// Of states before the first moment that are learned.
struct Begun : Sequential<Input<40, 3>, Dropout<0.1>, GRU<9, LearnedState>, LSTM<20, LearnedState, NoBias>,
                          LSTM<21, ProjectionSize<18>, LearnedState>, LSTM<5, ProjectionSize<3>, FinalState>> {};
struct Letters : Sequential<Input<30>, Embedding<20, 5>, LSTM<6>, Transpose<1, 2>, Conv1d<1, 1>, Flatten, Tanh> {};
struct Set : Shared<Conv1d<4, 3, Causal>, ReLU> {};
struct Again : Sequential<Input<4, 50>, Set, Highway<Path<Set>, Path<Conv1d<4, 1>>>, Set> {};

}  // namespace sinter_test::streams
