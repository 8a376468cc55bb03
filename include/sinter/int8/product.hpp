// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "sinter/int8/geometry.hpp"
#include "sinter/int8/instructions.hpp"

SINTER_NAMESPACE_BEGIN

namespace int8 {

/// Places of a product's windows: position i begins (i / width) line_steps and (i % width) steps after the first. Of a
/// pool, those of its windows, each of which has four: 0 or `along` and 0 or `down` after it.
struct Positions {
  int count = 1, width = 1, line_step = 0, step = 0, along = 0, down = 0;
  constexpr std::ptrdiff_t operator[](int i) const {
    return std::ptrdiff_t{i / width} * line_step + std::ptrdiff_t{i % width} * step;
  }
  /// Those of the largest of 2 x 2 neighbours, in lines of pooled_width.
  constexpr Positions pooled(int pooled_count, int pooled_width) const {
    return {pooled_count, pooled_width, 2 * line_step, 2 * step, step, line_step};
  }
};
/// One after the other, without divisions.
class Walk {
 public:
  Walk(const Positions& at, int first) : at_(at), column_(first % at.width), offset_(at[first]) {}
  SINTER_INLINE std::ptrdiff_t next() {
    const std::ptrdiff_t offset = offset_;
    offset_ += at_.step;
    if (++column_ == at_.width) {
      column_ = 0;
      offset_ += at_.line_step - std::ptrdiff_t{at_.width} * at_.step;
    }
    return offset;
  }

 private:
  const Positions& at_;
  int column_;
  std::ptrdiff_t offset_;
};

/// What outputs are made by: weights, the first sum of each output, and what its sum is multiplied by.
struct WeightsOfProduct {
  const std::int8_t* weights;
  const std::int32_t *start, *multipliers;
  const Rescale& rescale;
};
/// Where a product writes, [positions][stride], and whether bytes after the outputs of a position may be overwritten.
struct Target {
  std::uint8_t* data;
  int stride;
  bool spills;
};

/// Rows of one position: of a pool, whose largest sum becomes the largest output, because factors are not negative.
inline constexpr int pool_rows = 4;

/// One panel of outputs at the next positions, from R rows.
template <class Isa, int R, int RowsOfEach>
SINTER_INLINE void panel_of_rows(const typename Isa::Operand* x, Walk& walk, const Positions& at, const Runs& runs,
                                 const WeightsOfProduct& by, const Target& to, int written, int count) {
  const typename Isa::Operand* row[R];
  for (int r = 0; r < R; r += RowsOfEach) {
    row[r] = x + walk.next();
    for (int k = 1; k < RowsOfEach; ++k) row[r + k] = row[r] + k % 2 * at.along + k / 2 * at.down;
  }
  alignas(64) std::int32_t sums[R][panel];
  constexpr int at_once = std::min(R, Isa::rows);
  for (int r = 0; r < R; r += at_once) Isa::template sums<at_once>(row + r, runs, by.weights, count, sums + r);
  for (int r = 0; r < R; r += RowsOfEach) {
    for (int k = 1; k < RowsOfEach; ++k)
      for (int o = 0; o < panel; ++o) sums[r][o] = std::max(sums[r][o], sums[r + k][o]);
    Isa::store(sums[r], by.start, by.multipliers, by.rescale, to.data + std::ptrdiff_t{r / RowsOfEach} * to.stride,
               written);
  }
}
/// One panel of outputs at all positions.
template <class Isa, int RowsOfEach>
SINTER_SHARED void panel_product(const typename Isa::Operand* x, const Positions& at, const Runs& runs,
                                 WeightsOfProduct by, const Target& to, int count) {
  constexpr int some = std::max(1, Isa::rows / RowsOfEach);
  const int written = to.spills && Isa::rows > 1 ? panel : count;  // one row is stored byte by byte
  const auto compute = [&]<int N>(Walk& walk, int i) SINTER_LAMBDA {
    const Target from_i{to.data + std::ptrdiff_t{i} * to.stride, to.stride, to.spills};
    panel_of_rows<Isa, N * RowsOfEach, RowsOfEach>(x, walk, at, runs, by, from_i, written, count);
  };
  Walk walk(at, 0);
  int i = 0;
  for (; i + some <= at.count; i += some) compute.template operator()<some>(walk, i);
  [&]<int... N>(std::integer_sequence<int, N...>) SINTER_LAMBDA {  // the rest
    static_cast<void>(((at.count - i == N + 1 && (compute.template operator()<N + 1>(walk, i), true)) || ...));
  }(std::make_integer_sequence<int, some - 1>{});
}

/// y = W x + b: x with its padding, at some positions. Panels are in descending order, because a part of one spills
/// over the first outputs of the next position. RowsOfEach is 1, or those of a position of a pool.
template <class Isa, int RowsOfEach = 1>
void product(const Geometry& g, const typename Isa::Operand* x, const Positions& at, const WeightsOfProduct& by,
             std::uint8_t* to, int stride) {
  for (int group = 0; group < g.groups; ++group)
    for (int p = g.panels() - 1; p >= 0; --p) {
      const int n = group * g.panels() + p;
      panel_product<Isa, RowsOfEach>(
          x + group * g.inputs, at, g.runs,
          WeightsOfProduct{.weights = by.weights + std::ptrdiff_t{n} * g.panel_weights(Isa::group),
                           .start = by.start + n * panel,
                           .multipliers = by.multipliers + n * panel,
                           .rescale = by.rescale},
          Target{to + group * g.outputs + p * panel, stride, g.groups == 1}, std::min(panel, g.outputs - p * panel));
    }
}

/// A window in each channel of its own: weights [taps][outputs].
template <class Isa>
void depthwise(const Window& window, const Geometry& g, const typename Isa::Operand* x, const Positions& at,
               const WeightsOfProduct& by, int outputs, std::uint8_t* to) {
  for (int i = 0; i < at.count; ++i)
    for (int c = 0; c < g.channels; c += panel) {
      alignas(64) std::int32_t sums[panel]{};
      const std::int8_t* w = by.weights + c;
      for (int ky = 0; ky < window.height; ++ky)
        for (int kx = 0; kx < window.width; ++kx, w += outputs) {
          const auto* const from =
              x + at[i] + c +
              (ky * window.dilation_height * g.width + kx * window.dilation_width) * std::ptrdiff_t{g.channels};
          for (int k = 0; k < panel; ++k) sums[k] += from[k] * w[k];
        }
      Isa::store(sums, by.start + c, by.multipliers + c, by.rescale, to + std::ptrdiff_t{i} * g.channels + c, panel);
    }
}

/// A sample, [height][width][channels] in `order`, with zeros around it and numbers as the kernels take them.
template <class To>
void load_padded(const Op& op, const Geometry& g, const Order& order, const std::uint8_t* from, std::int32_t zero,
                 To* to) {
  const int above = op.whole ? 0 : op.window.padding_height, left = op.whole ? 0 : op.window.padding_width;
  const int height = op.whole ? 1 : op.in.height, width = op.whole ? 1 : op.in.width;
  const bool in_order = op.whole || order == Order::of(op.in);
  const int line = width * g.channels;
  if (in_order && g.size() == height * line) {
    for (int i = 0; i < g.size(); ++i) to[i] = static_cast<To>(from[i]);
    return;
  }
  std::fill_n(to, g.size() > height * line ? g.size() : 0, static_cast<To>(zero));
  for (int y = 0; y < height; ++y) {
    To* const row = to + ((y + above) * g.width + left) * g.channels;
    if (in_order) {
      const std::uint8_t* const begin = from + y * line;
      for (int i = 0; i < line; ++i) row[i] = static_cast<To>(begin[i]);
    } else {
      for (int i = 0; i < line; ++i)
        row[i] = static_cast<To>(from[order.place_of((i % g.channels * height + y) * width + i / g.channels)]);
    }
  }
}

}  // namespace int8

SINTER_NAMESPACE_END
