// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>

#include "sinter/int8/instructions.hpp"
#include "sinter/int8/plan.hpp"
#include "sinter/ops/op.hpp"

SINTER_NAMESPACE_BEGIN

namespace int8 {

/// How a product reads its input, [height][width][channels] with padding, and where its weights are.
struct Geometry {
  int groups = 1, inputs = 0, outputs = 0;  // channels of one group
  int channels = 0, height = 1, width = 1;  // of the input with its padding
  Runs runs{};

  static constexpr Geometry of(const Op& op) {
    Geometry g;
    const Window& w = op.window;
    g.groups = w.groups;
    g.channels = op.whole ? op.in.size() : op.in.channels;
    g.inputs = g.channels / g.groups;
    g.outputs = op.out.channels / g.groups;
    if (!op.whole) {
      g.height = op.in.height + 2 * w.padding_height;
      g.width = w.padded_width(op.in.width);
    }
    const bool side_by_side = g.groups == 1 && w.dilation_width == 1;
    g.runs = {w.height, w.dilation_height * g.width * g.channels, side_by_side ? 1 : w.width,
              w.dilation_width * g.channels, side_by_side ? w.width * g.channels : g.inputs};
    return g;
  }
  constexpr int panels() const { return divide_up(outputs, panel); }
  /// Weights of a panel, with the zeros that fill up its groups of `group` inputs.
  constexpr int panel_weights(int group = kept_group) const {
    return runs.outer * runs.inner * runs.groups_of(group) * group * panel;
  }
  /// Numbers of the input with its padding.
  constexpr int size() const { return channels * height * width; }
};

/// Where the constants of an op begin.
struct Place {
  int weights = 0;  // bytes
  int numbers = 0;  // of 32 bits: what sums begin with, then the multipliers, of `outputs` outputs each
  int outputs = 0;
  int table = 0;
};

/// The number of weight [row][column] of a product, whose input is stored in the order `read`. A group of channels has
/// [outputs / panel][outer][inner][inputs / kept_group][panel][kept_group], a depthwise product [taps][outputs].
constexpr std::size_t weight_place(const Op& op, Role role, const Place& place, const Order& read, int row,
                                   int column) {
  if (role == Role::depthwise) return static_cast<std::size_t>(place.weights + column * place.outputs + row);
  const Geometry g = Geometry::of(op);
  const Window& w = op.window;
  const int taps = w.taps(), c = column / taps, ky = column % taps / w.width, kx = column % w.width;
  const bool side_by_side = g.runs.inner == 1;
  const int in_run = op.whole ? read.place_of(column) : side_by_side ? kx * g.channels + c : c;
  const int run = op.whole ? 0 : ky * g.runs.inner + (side_by_side ? 0 : kx);
  const int out = row / g.outputs * g.panels() * panel + row % g.outputs,
            four = run * g.runs.groups_of(kept_group) + in_run / kept_group;
  return static_cast<std::size_t>(place.weights + out / panel * g.panel_weights() + (four * panel + out % panel) * 4 +
                                  in_run % 4);
}
/// The number that the sums of a row begin with; its multiplier is `place.outputs` further.
constexpr std::size_t number_place(const Op& op, Role role, const Place& place, int row) {
  if (role == Role::depthwise) return static_cast<std::size_t>(place.numbers + row);
  const Geometry g = Geometry::of(op);
  return static_cast<std::size_t>(place.numbers + row / g.outputs * g.panels() * panel + row % g.outputs);
}
/// Changes with these places and with what is stored beside them: constants of other layouts are refused.
inline constexpr std::size_t layout_version = 1;

/// What a model's weights take in 8 bits.
template <class Model>
struct Layout {
  using Ops = Program<Model>;
  static constexpr std::size_t count = static_cast<std::size_t>(Ops::op_count);
  struct All {
    std::array<Place, count> ops{};
    Place end{};
  };
  static constexpr All all = [] {
    All all;
    for (std::size_t i = 0; i < count; ++i) {
      const Op& op = Ops::ops[i];
      Place& place = all.ops[i] = all.end;
      const Role role = Plan<Model>::ops[i].role;
      if (role == Role::product) {
        const Geometry g = Geometry::of(op);
        place.outputs = g.groups * g.panels() * panel;
        all.end.weights += g.groups * g.panels() * g.panel_weights();
      } else if (role == Role::depthwise) {
        place.outputs = round_up(op.out.channels, panel);
        all.end.weights += place.outputs * op.window.taps();
      } else if (role == Role::table || role == Role::concat) {
        all.end.table += 256 * op.input_count;
      }
      all.end.numbers += 2 * place.outputs;
    }
    return all;
  }();
  static constexpr Place of(std::size_t op) { return all.ops[op]; }
};

}  // namespace int8

SINTER_NAMESPACE_END
