// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/layers/conv1d.hpp"
#include "sinter/layers/recurrent.hpp"
#include "sinter/layers/recurrent_inputs.hpp"
#include "sinter/layers/reshape.hpp"
#include "sinter/layers/shared.hpp"
#include "sinter/layers/slice.hpp"
#include "support/networks.hpp"

namespace sinter_test::networks {

/// Of one step and of many, with sizes from 1 to beyond two packs, every option, and other ops before and after.
using Recurrents = TypeList<  //
    Chain<Input<5, 3>, RNN<4>>, Chain<Input<1, 7>, RNN<17, FinalState, NoBias>, Linear<3>>,
    Chain<Input<11, 1>, GRU<7, FinalState>, Linear<2>>, Chain<Input<1, 1>, GRU<1>>,
    Chain<Input<4, 9>, GRU<13, Bidirectional, NoBias>, Tanh, Flatten, Linear<2>>,
    Chain<Input<6, 2>, LSTM<9>, Dropout<0.4>, Flatten, Linear<3>>, Chain<Input<1, 5>, LSTM<1, FinalState>>,
    Chain<Input<9, 3>, LSTM<5, Bidirectional, FinalState, NumLayers<2>, DropoutBetween<0.3>>, Linear<2>>>;

/// With a state before the first step that is learned.
using LearnedStates = TypeList<  //
    Chain<Input<5, 3>, RNN<4, LearnedState>>, Chain<Input<1, 7>, GRU<17, LearnedState, FinalState, NoBias>, Linear<3>>,
    Chain<Input<4, 2>, LSTM<9, LearnedState, Bidirectional, NumLayers<2>, DropoutBetween<0.3>>, Flatten, Linear<2>>,
    Chain<Input<6, 3>, LSTM<5, LearnedState, FinalState>>>;

/// Whose h is projected.
using Projections = TypeList<  //
    Chain<Input<5, 3>, LSTM<9, ProjectionSize<4>>, Tanh>, Chain<Input<1, 2>, LSTM<2, ProjectionSize<1>, FinalState>>,
    Chain<Input<4, 2>, LSTM<19, ProjectionSize<17>, LearnedState, NoBias, FinalState>, Linear<3>>,
    Chain<Input<4, 3>, LSTM<6, ProjectionSize<5>, Bidirectional, NumLayers<2>, LearnedState>, Flatten, Linear<2>>>;

/// A number as a length from 1 to Most.
template <int Most>
struct WholeLength {
  static constexpr const char* name = "length";
  static constexpr bool backward_reads_output = false;
  static constexpr double zeros = 0;
  template <class V>
  static V forward(V x) {
    V length(1);
    for (int n = 1; n < Most; ++n) {
      const float above = 3 * static_cast<float>(n) / static_cast<float>(Most) - 1.5f;
      length = fn::select(x > V(above), V(static_cast<float>(n + 1)), length);
    }
    return length;
  }
  template <class V>
  static V backward(V, V) {
    return V(0);
  }
};
template <int Most>
using WholeNumber = Activation<WholeLength<Most>>;

/// Rows of fewer steps than there are.
using Ragged = TypeList<  //
    Chain<Input<5, 4>,
          Recurrent<RNN<4>, Path<Slice<0, 3, 2>>, Lengths<Slice<3, 1, 2>, Slice<0, 1>, Flatten, WholeNumber<5>>>>,
    Chain<Input<10>,
          Recurrent<GRU<17, FinalState>, Path<Slice<1, 9>, Reshape<3, 3>>, Lengths<Slice<0, 1>, WholeNumber<3>>>,
          Linear<2>>,
    Chain<Input<9>,
          Recurrent<LSTM<5, Bidirectional, NumLayers<2>, DropoutBetween<0.3>, LearnedState>,
                    Path<Slice<1, 8>, Reshape<4, 2>, GRU<3>>, Lengths<Slice<0, 1>, WholeNumber<4>>>,
          Flatten, Linear<3>>,
    Chain<Input<13>,
          Recurrent<LSTM<9, ProjectionSize<4>, Bidirectional, FinalState>, Path<Slice<1, 12>, Reshape<6, 2>>,
                    Lengths<Slice<0, 1>, WholeNumber<6>>>,
          Tanh>,
    Chain<Input<4>, Recurrent<GRU<2, NoBias>, Path<Slice<0, 3>, Reshape<1, 3>>, Lengths<Slice<3, 1>, WholeNumber<1>>>>>;

/// Whose state before the first step is another value.
using GivenStates = TypeList<  //
    Chain<Input<13>, Recurrent<GRU<6>, Path<Slice<4, 9>, Reshape<3, 3>>, InitialState<Slice<0, 4>, Linear<6>>>>,
    Chain<Input<6>, Recurrent<RNN<6, FinalState>, Path<Reshape<3, 2>>, InitialState<>>, Linear<2>>,
    Chain<Input<4, 3>,
          Recurrent<LSTM<4, NumLayers<2>, Bidirectional, ProjectionSize<3>>, Path<>,
                    InitialState<Flatten, Linear<28>, Tanh>, Lengths<Slice<1, 1>, Slice<2, 1, 2>, WholeNumber<4>>>,
          Tanh>,
    Chain<Input<5, 2>, Recurrent<LSTM<9, FinalState>, Path<>, InitialState<GRU<18, FinalState>>>>>;

/// Beside other layers: branches that read the same steps, normalisation, statistics of the batch, shared weights.
struct SharedCell : Shared<GRU<3>> {};
using MixedRecurrents = TypeList<  //
    Chain<Input<6, 4>, Residual<Path<GRU<4>>>, LayerNorm<>, RNN<3, FinalState>, BatchNorm1d<>, Linear<2>>,
    Chain<Input<7, 3>, Concat<Path<Conv1d<2, 3, Padding<1>>>, Path<LSTM<3>>>, GRU<5>, BatchNorm1d<>, ReLU>,
    Chain<Input<5, 3>, SharedCell, Tanh, SharedCell, Flatten, Linear<4>, LogSoftmax>,
    Chain<Input<12>, Linear<10>, Reshape<5, 2>, GRU<6, FinalState>, Residual<Path<Linear<6>, Tanh>>>>;

}  // namespace sinter_test::networks
