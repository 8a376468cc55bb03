// SPDX-License-Identifier: MIT
#pragma once

#include <sinter/inference.hpp>

namespace sinter_test::streams {
using namespace sinter;

// Causal attention made of its parts.

/// Scores of steps.
struct Scores
    : MatrixProduct<Path<PositionwiseLinear<7>>, Path<PositionwiseLinear<7>>, TransposeSecond, Causal, Factor<0.3>> {};
/// Sums of a series by such weights.
struct SumsOfSeries
    : MatrixProduct<Path<Conv1d<9, 1>>,
                    Path<MatrixProduct<Path<Conv1d<7, 2, Causal>>, Path<Conv1d<7, 1>>, TransposeFirst, Causal>,
                         SoftmaxAlong<-1>, Dropout<0.1>>,
                    TransposeSecond> {};

}  // namespace sinter_test::streams
