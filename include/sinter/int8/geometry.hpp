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
