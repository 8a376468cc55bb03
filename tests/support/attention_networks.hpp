// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/layers/conv1d.hpp"
#include "sinter/layers/matrix_product.hpp"
#include "sinter/layers/multihead_attention.hpp"
#include "sinter/layers/permute.hpp"
#include "sinter/layers/pool1d.hpp"
#include "sinter/layers/position_embedding.hpp"
#include "sinter/layers/positional_encoding.hpp"
#include "sinter/layers/positionwise_linear.hpp"
#include "sinter/layers/reshape.hpp"
#include "sinter/layers/rotary_embedding.hpp"
#include "sinter/layers/slice.hpp"
#include "sinter/layers/softmax_along.hpp"
#include "sinter/layers/transformer_encoder_layer.hpp"
#include "support/networks.hpp"

namespace sinter_test::networks {

/// Products of two values: of one matrix and of several, each transposed or not, of sizes from 1 to beyond two packs and
/// blocks, of the same value twice, of values with a border, and with other ops before and after.
using MatrixProducts = TypeList<  //
    Chain<Input<5, 3>, MatrixProduct<Path<>, Path<>, TransposeSecond>>,
    Chain<Input<19, 7>, MatrixProduct<Path<>, Path<>, TransposeFirst, Factor<0.25>>, Tanh>,
    Chain<Input<1, 1>, MatrixProduct<Path<Conv1d<1, 1>>, Path<>>>,
    Chain<Input<3, 4, 6>, MatrixProduct<Path<Conv2d<3, 3, Padding<1>>>, Path<Permute<0, 1, 3, 2>>>, Dropout<0.3>>,
    Chain<Input<2, 9, 17>, MatrixProduct<Path<Tanh>, Path<Conv2d<2, 1>>, TransposeFirst>, Flatten, Linear<2>>,
    Chain<Input<2, 5, 9>, MatrixProduct<Path<Transpose<2, 3>>, Path<Tanh>, TransposeFirst, TransposeSecond>>,
    Chain<Input<8, 2>, Residual<Path<Conv1d<8, 3, Padding<1>>, MatrixProduct<Path<Tanh>, Path<>, TransposeSecond>,
                                     Conv1d<8, 1>, Slice<0, 2, 2>>>>>;
/// With a mask, before a softmax as it should be.
using CausalProducts = TypeList<  //
    Chain<Input<7, 3>, MatrixProduct<Path<>, Path<Tanh>, TransposeSecond, Causal, Factor<0.5>>, SoftmaxAlong<-1>>,
    Chain<Input<2, 4, 19>, MatrixProduct<Path<>, Path<Conv2d<2, 1, NoBias>>, TransposeFirst, Causal>, SoftmaxAlong<-1>>,
    Chain<Input<1, 5>, MatrixProduct<Path<>, Path<>, TransposeSecond, Causal>, SoftmaxAlong<-1>>>;

/// Alone, before a product with padding, in the registers of products of whole samples, of windows with a pool and of
/// each step, and of odd sizes.
using PositionalEncodings = TypeList<  //
    Chain<Input<5, 3>, PositionalEncoding>,
    Chain<Input<3, 19>, Tanh, PositionalEncoding, Conv1d<2, 3, Padding<1>>, PositionalEncoding, MaxPool1d<3>, Tanh>,
    Chain<Input<1, 7>, PositionwiseLinear<5>, PositionalEncoding, Dropout<0.3>, Flatten, Linear<6>, Reshape<2, 3>,
          PositionalEncoding, Tanh>,
    Chain<Input<2, 22>, Conv1d<3, 4>, ReLU, PositionalEncoding, MaxPool1d<4>, PositionalEncoding>,
    Chain<Input<6, 4>, PositionalEncoding, Residual<Path<MultiheadAttention<4, 2>>>, PositionalEncoding, Flatten,
          Linear<2>>>;

/// Of one pair and of many, with one head and several, before a pool and in attention.
using RotaryEmbeddings = TypeList<  //
    Chain<Input<5, 2>, RotaryEmbedding<2>>, Chain<Input<1, 12>, RotaryEmbedding<4>, Tanh>,
    Chain<Input<19, 6>, PositionwiseLinear<18>, RotaryEmbedding<6>, Transpose<1, 2>, MaxPool1d<3>, Flatten, Linear<3>>,
    Chain<Input<7, 8>, Residual<Path<MultiheadAttention<8, 2, Rotary>>>, Flatten, Linear<2>>,
    Chain<Input<6, 4>, TransformerEncoderLayer<4, 1, 5, NormFirst, Causal, Rotary, WithDropout<0.2>>>>;

/// Of one step and of many, of one head and of as many as there are features, and every option.
using Attentions = TypeList<  //
    Chain<Input<5, 6>, MultiheadAttention<6, 2>>, Chain<Input<1, 4>, MultiheadAttention<4, 4, NoBias>, Tanh>,
    Chain<Input<19, 3>, PositionwiseLinear<9, NoBias>, MultiheadAttention<9, 1, Causal, WithDropout<0.25>>, Flatten,
          Linear<2>>,
    Chain<Input<7, 4>, PositionEmbedding<7, 4>, Residual<Path<MultiheadAttention<4, 2, Causal>>>, PositionwiseLinear<3>,
          Tanh>>;

using Encoders = TypeList<  //
    Chain<Input<5, 6>, TransformerEncoderLayer<6, 2, 9, WithDropout<0.2>>>,
    Chain<Input<1, 4>, TransformerEncoderLayer<4, 1, 3, NormFirst, NoBias, WithDropout<0>>>,
    Chain<Input<9, 4>, TransformerEncoderLayer<4, 2, 8, NormFirst, Causal, WithActivation<GELU>>,
          TransformerEncoderLayer<4, 2, 8, NormFirst, Causal, WithActivation<GELU>>, Flatten, Linear<2>>>;

/// For devices that take long to compile.
using SomeProducts = TypeList<  //
    Chain<Input<5, 3>, MatrixProduct<Path<>, Path<>, TransposeSecond>>,
    Chain<Input<2, 4, 5>, MatrixProduct<Path<Tanh>, Path<Conv2d<2, 1>>, TransposeFirst, Factor<0.5>>, Tanh>>;
using SomeAttentions = TypeList<  //
    Chain<Input<5, 6>, RotaryEmbedding<2>, Tanh, MultiheadAttention<6, 3, Rotary>>,
    Chain<Input<5, 6>, MultiheadAttention<6, 2, Causal, WithDropout<0.25>>>,
    Chain<Input<4, 4>, TransformerEncoderLayer<4, 2, 3, NormFirst>, Flatten, Linear<2>>>;

}  // namespace sinter_test::networks
