// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "sinter/int8/geometry.hpp"
#include "sinter/int8/instructions.hpp"

SINTER_NAMESPACE_BEGIN

namespace int8 {

/// Places of a product's windows: position i begins (i / width) line_steps and (i % width) steps after the first.
struct Positions {
  int count = 1, width = 1, line_step = 0, step = 0;
  constexpr std::ptrdiff_t operator[](int i) const {
    return std::ptrdiff_t{i / width} * line_step + std::ptrdiff_t{i % width} * step;
  }
};

/// Where a product writes, [positions][stride], and whether bytes after the outputs of a position may be overwritten.
struct Target {
  std::uint8_t* data;
  int stride;
  bool spills;
};

/// One panel of outputs at all positions.
template <class Isa, int R>
SINTER_INLINE void panel_of_rows(const typename Isa::Operand* x, const Positions& at, int first, const Runs& runs,
                                 const std::int8_t* weights, const std::int32_t* start, const std::int32_t* multipliers,
                                 const Rescale& rescale, const Target& to, int count) {
  const typename Isa::Operand* row[R];
  for (int r = 0; r < R; ++r) row[r] = x + at[first + r];
  alignas(64) std::int32_t sums[R][panel]{};
  Isa::template sums<R>(row, runs, weights, count, sums);
  for (int r = 0; r < R; ++r)
    Isa::store(sums[r], start, multipliers, rescale, to.data + std::ptrdiff_t{first + r} * to.stride,
               to.spills && Isa::rows > 1 ? panel : count);  // one row is stored byte by byte
}
template <class Isa>
SINTER_SHARED void panel_product(const typename Isa::Operand* x, const Positions& at, const Runs& runs,
                                 const std::int8_t* weights, const std::int32_t* start, const std::int32_t* multipliers,
                                 const Rescale& rescale, const Target& to, int count) {
  constexpr int R = Isa::rows;
  if (at.count < R) {
    for (int i = 0; i < at.count; ++i)
      panel_of_rows<Isa, 1>(x, at, i, runs, weights, start, multipliers, rescale, to, count);
    return;
  }
  for (int i = 0; i < at.count; i += R)  // the last block computes some again
    panel_of_rows<Isa, R>(x, at, std::min(i, at.count - R), runs, weights, start, multipliers, rescale, to, count);
}

/// y = W x + b: x with its padding, at some positions. Panels are in descending order, because a part of one spills
/// over the first outputs of the next position.
template <class Isa>
void product(const Geometry& g, const typename Isa::Operand* x, const Positions& at, const std::int8_t* weights,
             const std::int32_t* numbers, int outputs, const Rescale& rescale, std::uint8_t* to, int stride) {
  for (int group = 0; group < g.groups; ++group)
    for (int p = g.panels() - 1; p >= 0; --p) {
      const int n = group * g.panels() + p;
      panel_product<Isa>(x + group * g.inputs, at, g.runs, weights + std::ptrdiff_t{n} * g.weight_bytes(),
                         numbers + n * panel, numbers + outputs + n * panel, rescale,
                         Target{to + group * g.outputs + p * panel, stride, g.groups == 1},
                         std::min(panel, g.outputs - p * panel));
    }
}

/// A window in each channel of its own: weights [taps][channels].
template <class Isa>
void depthwise(const Window& window, const Geometry& g, const typename Isa::Operand* x, const Positions& at,
               const std::int8_t* weights, const std::int32_t* numbers, int outputs, const Rescale& rescale,
               std::uint8_t* to) {
  for (int i = 0; i < at.count; ++i)
    for (int c = 0; c < g.channels; c += panel) {
      alignas(64) std::int32_t sums[panel]{};
      const std::int8_t* w = weights + c;
      for (int ky = 0; ky < window.height; ++ky)
        for (int kx = 0; kx < window.width; ++kx, w += outputs) {
          const auto* const from =
              x + at[i] + c +
              (ky * window.dilation_height * g.width + kx * window.dilation_width) * std::ptrdiff_t{g.channels};
          for (int k = 0; k < panel; ++k) sums[k] += from[k] * w[k];
        }
      Isa::store(sums, numbers + c, numbers + outputs + c, rescale, to + std::ptrdiff_t{i} * g.channels + c, panel);
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
