// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/core/shape.hpp"

SINTER_NAMESPACE_BEGIN

/// Whether the last dimension of a value numbers the moments too, as in causal attention: scores, which are -infinity
/// for the moments after its own, and weights, which are 0 there.
enum class Attention : unsigned char { no, scores, weights };

/// Where time is in a value: its numbers are [outer][length][inner], row-major, and number j of `length` is available
/// from moment j period + delay of the input. Or the whole value is available at each such moment, as after FinalState.
struct Timing {
  bool each = false;
  int outer = 1, length = 1, inner = 1;
  int period = 1, delay = 0;
  Attention attention = Attention::no;

  constexpr int features() const { return outer * inner; }
  /// Where number i of moment j is in the whole value.
  constexpr int at(int i, int j) const { return (i / inner * length + j) * inner + i % inner; }
  /// Whether the numbers of both are of the same moments.
  constexpr bool is_like(const Timing& other) const {
    return each == other.each && period == other.period && (each || (length == other.length && inner == other.inner));
  }
  constexpr bool along_width(Dims d) const {
    return !each && d.width == length && inner == 1 && outer == d.channels * d.height;
  }
  constexpr bool along_channels(Dims d) const {
    return !each && d.channels == length && outer == 1 && inner == d.pixels();
  }
};

/// Why an op cannot run moment by moment.
enum class Unstreamable : unsigned char {
  no,
  reverse,      // a cell that begins at the end
  all_moments,  // a number made of all moments
  one_row,      // moments as the features of a row
  moved,        // numbers at other moments, or other moments
  parameters,   // a weight for each moment
  positions,    // a constant for each moment, along another dimension
  window,       // a window along something else
  transposed,
  padding,
  inputs,  // a state or a length for a row
  rates
};

SINTER_NAMESPACE_END
