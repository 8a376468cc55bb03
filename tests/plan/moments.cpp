// SPDX-License-Identifier: MIT
#include "sinter/plan/moments.hpp"

#include <doctest/doctest.h>

#include "sinter/plan/moment_program.hpp"
#include "support/streams.hpp"

using namespace sinter::internal;

namespace {
template <class... Layers>
using Of = Moments<Sequential<Layers...>>;
template <class... Layers>
using OfSeries = Of<Input<2, 50>, Layers...>;
template <class... Layers>
using OfSteps = Of<Input<50, 3>, RNN<4>, Layers...>;

template <class M>
constexpr Timing end_of() {
  return M::timing[M::timing.size() - 1];
}
/// The layer that refuses, and why.
template <class M, class Model>
constexpr bool refuses(int layer, Unstreamable why) {
  return M::refused >= 0 && Program<Model>::ops[static_cast<std::size_t>(M::refused)].layer == layer && M::why == why;
}
template <int Layer, Unstreamable Why, class... Layers>
constexpr bool series_refused = refuses<OfSeries<Layers...>, Sequential<Input<2, 50>, Layers...>>(Layer, Why);
template <int Layer, Unstreamable Why, class... Layers>
constexpr bool steps_refused = refuses<OfSteps<Layers...>, Sequential<Input<50, 3>, RNN<4>, Layers...>>(Layer, Why);
}  // namespace

TEST_CASE("each number of a value is there at a moment of the input") {
  static_assert(OfSeries<Conv1d<4, 3, Causal, Dilation<5>>>::refused == -1);
  static_assert(end_of<OfSeries<Conv1d<4, 3, Causal, Dilation<5>>>>().delay == 0);
  static_assert(end_of<OfSeries<Conv1d<4, 5, Padding<2>>>>().delay == 2);
  static_assert(end_of<OfSeries<Conv1d<4, 5, Dilation<3>>>>().delay == 12);
  constexpr Timing strides =
      end_of<OfSeries<Conv1d<4, 4, Stride<3>, Causal>, MaxPool1d<2>, Conv1d<4, 3, Padding<1>>>>();
  static_assert(strides.period == 6 && strides.delay == 3 + 6 && strides.outer == 4);
  // Branches wait for the slower one.
  static_assert(end_of<OfSeries<Concat<Path<Conv1d<4, 5, Padding<2>>>, Path<>>>>().delay == 2);
  static_assert(end_of<OfSeries<Concat<Path<>, Path<Conv1d<4, 5, Padding<2>>>>>>().outer == 6);
  static_assert(end_of<OfSteps<GRU<5, FinalState>>>().each && !end_of<OfSteps<GRU<5>>>().each);
  static_assert(end_of<OfSteps<Transpose<1, 2>>>().along_width(series(4, 50)));
}

TEST_CASE("the time of an input is where the layers take it to be") {
  static_assert(Of<Input<3, 50>, Tanh>::dims(0) == features(3));
  static_assert(Of<Input<50, 3>, Tanh, LSTM<4>>::dims(0) == features(3));
  static_assert(Of<Input<3, 50>, Transpose<1, 2>, LSTM<4>>::dims(0) == features(3));
  static_assert(Of<Input<50>, Embedding<9, 4>, LSTM<4>>::dims(0) == features(1));
}

TEST_CASE("what cannot run moment by moment says why") {
  using enum Unstreamable;
  static_assert(steps_refused<1, reverse, GRU<5, Bidirectional>>);
  static_assert(series_refused<0, all_moments, AdaptiveAvgPool1d<1>>);
  static_assert(series_refused<0, all_moments, AdaptiveMaxPool1d<1>>);
  static_assert(series_refused<1, all_moments, Conv1d<4, 1>, Mean<2>>);
  static_assert(series_refused<0, all_moments, GroupNorm<2>>);
  static_assert(series_refused<1, all_moments, Conv1d<4, 1>, SoftmaxAlong<2>>);
  static_assert(steps_refused<1, all_moments, MultiheadAttention<4, 2>>);
  static_assert(steps_refused<1, all_moments, TransformerEncoderLayer<4, 2, 8>>);
  static_assert(series_refused<1, positions, Conv1d<4, 1>, PositionalEncoding>);
  static_assert(series_refused<1, moved, Conv1d<4, 1>, RotaryEmbedding<2>>);
  static_assert(series_refused<1, rates, Conv1d<50, 1>, PositionEmbedding<50, 50>>);
  static_assert(series_refused<1, one_row, Flatten, Linear<3>>);
  static_assert(series_refused<0, moved, ReflectionPad1d<2>, Conv1d<4, 5>>);
  static_assert(series_refused<0, moved, Flip<2>, Conv1d<4, 3, Causal>>);
  static_assert(series_refused<1, moved, Conv1d<4, 3, Causal>, Slice<0, 10, 2>>);
  static_assert(series_refused<1, parameters, Conv1d<50, 1>, Path<Transpose<1, 2>, PReLU<PerChannel>>>);
  static_assert(steps_refused<1, parameters, BatchNorm1d<>>);
  static_assert(series_refused<0, padding, Conv1d<4, 3, Padding<3>>>);
  static_assert(series_refused<0, rates, Concat<Path<AvgPool1d<1, Stride<50>>>, Path<Conv1d<3, 50>>>>);
  static_assert(refuses<Of<Input<1, 9, 9>, Conv2d<2, 3>>, Sequential<Input<1, 9, 9>, Conv2d<2, 3>>>(0, window));
  static_assert(refuses<Of<Input<1, 9, 9>, ConvTranspose2d<2, 3>>, Sequential<Input<1, 9, 9>, ConvTranspose2d<2, 3>>>(
      0, transposed));
}

namespace {
/// Attention of other forms, refused in layer 1: what may follow causal scores is a softmax along their last dimension,
/// and then a sum by these weights.
using Scores = MatrixProduct<Path<>, Path<>, TransposeSecond, Causal>;
template <class... Weights>
using Attended = MatrixProduct<Path<Scores, Weights...>, Path<>>;
}  // namespace

TEST_CASE("causal attention runs moment by moment, and no other") {
  using enum Unstreamable;
  static_assert(OfSteps<MultiheadAttention<4, 2, Causal>>::refused == -1);
  static_assert(OfSteps<Attended<SoftmaxAlong<-1>>>::refused == -1);
  static_assert(OfSteps<Attended<SoftmaxAlong<2>, Dropout<0.5>>>::refused == -1);
  static_assert(steps_refused<1, all_moments, Scores>);
  static_assert(steps_refused<1, all_moments, Attended<>>);
  static_assert(steps_refused<1, all_moments, Attended<SoftmaxAlong<1>>>);
  static_assert(steps_refused<1, all_moments, Attended<LogSoftmaxAlong<-1>>>);
  static_assert(steps_refused<1, all_moments, Attended<Sigmoid>>);
  static_assert(steps_refused<1, all_moments, Attended<SoftmaxAlong<-1>, SoftmaxAlong<-1>>>);
  static_assert(steps_refused<1, all_moments, Attended<SoftmaxAlong<-1>, Residual<Path<ReLU>>>>);
  static_assert(steps_refused<1, all_moments, MatrixProduct<Path<>, Path<>, TransposeSecond>>);
  static_assert(steps_refused<1, all_moments, MatrixProduct<Path<>, Path<>, TransposeFirst, Causal>>);
  // Weights of the moments after each one, instead of those before it.
  static_assert(steps_refused<1, all_moments, MatrixProduct<Path<Scores, SoftmaxAlong<-1>>, Path<>, TransposeFirst>>);
  static_assert(Of<Input<50, 4>, MultiheadAttention<4, 2, Causal>>::dims(0) == features(4));
  static_assert(Of<Input<50, 4>, MultiheadAttention<4, 2>>::why == all_moments);
}

TEST_CASE("positions end with the length of the model") {
  static_assert(OfSteps<>::max_moments == UINT64_MAX);
  static_assert(OfSteps<PositionEmbedding<50, 4>>::max_moments == 50);
  static_assert(OfSteps<PositionalEncoding, ReLU>::max_moments == 50);
  static_assert(OfSteps<MultiheadAttention<4, 2, Causal>>::max_moments == 50);
  // 25 positions of 2 moments each.
  static_assert(OfSeries<Conv1d<4, 2, Stride<2>>, Transpose<1, 2>, PositionalEncoding, GRU<3>>::max_moments == 51);
}

TEST_CASE("a number has the shape of its moment") {
  using M = Program<Moment<sinter_test::streams::WaveNet>>;
  static_assert(M::input == features(2) && M::output == features(3));
  static_assert(M::ops[0].whole && M::ops[0].in == features(2) && M::ops[0].out == features(6));
}
