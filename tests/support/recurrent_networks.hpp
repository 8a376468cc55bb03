// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/layers/conv1d.hpp"
#include "sinter/layers/recurrent.hpp"
#include "sinter/layers/reshape.hpp"
#include "sinter/layers/shared.hpp"
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

/// Beside other layers: branches that read the same steps, normalisation, statistics of the batch, shared weights.
struct SharedCell : Shared<GRU<3>> {};
using MixedRecurrents = TypeList<  //
    Chain<Input<6, 4>, Residual<Path<GRU<4>>>, LayerNorm<>, RNN<3, FinalState>, BatchNorm1d<>, Linear<2>>,
    Chain<Input<7, 3>, Concat<Path<Conv1d<2, 3, Padding<1>>>, Path<LSTM<3>>>, GRU<5>, BatchNorm1d<>, ReLU>,
    Chain<Input<5, 3>, SharedCell, Tanh, SharedCell, Flatten, Linear<4>, LogSoftmax>,
    Chain<Input<12>, Linear<10>, Reshape<5, 2>, GRU<6, FinalState>, Residual<Path<Linear<6>, Tanh>>>>;

}  // namespace sinter_test::networks
