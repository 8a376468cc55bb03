// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "sinter/fn/one.hpp"
#include "sinter/fn/softmax.hpp"
#include "sinter/model/program.hpp"
#include "sinter/ops/index_map.hpp"
#include "sinter/plan/attention_timing.hpp"
#include "sinter/plan/timing.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {
template <class OpType, class F>
inline constexpr bool has_functor = requires { requires std::is_same_v<typename OpType::Functor, F>; };
template <class OpType>
inline constexpr bool has_steps_last = requires { requires OpType::Functor::steps_last; };
}  // namespace detail

/// The ops of a model as they run moment by moment, each on its inputs at one moment: time is removed from all shapes.
/// A convolution along the time becomes a product with the numbers in its window.
template <class Model>
class Moments {
  using Ops = Program<Model>;
  static constexpr std::size_t index(int i) { return static_cast<std::size_t>(i); }
  template <int Index>
  static constexpr IndexMap map_of() {
    if constexpr (Ops::ops[index(Index)].kind == OpKind::index_map)
      return Ops::template OpType<Index>::Indices::indices(Ops::ops[index(Index)].in);
    else
      return IndexMap{};
  }
  static constexpr auto given_maps = []<int... Index>(std::integer_sequence<int, Index...>) {
    return std::array<IndexMap, index(Ops::op_count)>{map_of<Index>()...};
  }(std::make_integer_sequence<int, Ops::op_count>{});

  template <class F>
  static constexpr auto ops_with = []<int... Index>(std::integer_sequence<int, Index...>) {
    return std::array<bool, index(Ops::op_count + 1)>{detail::has_functor<typename Ops::template OpType<Index>, F>...};
  }(std::make_integer_sequence<int, Ops::op_count>{});
  /// Whether an op with a number for each position counts them along the last dimension.
  static constexpr auto steps_last = []<int... Index>(std::integer_sequence<int, Index...>) {
    return std::array<bool, index(Ops::op_count + 1)>{detail::has_steps_last<typename Ops::template OpType<Index>>...};
  }(std::make_integer_sequence<int, Ops::op_count>{});
  /// Whether an op makes the input of a product with 1, which is a table of learned numbers.
  static constexpr bool makes_one(int op) { return op >= 0 && ops_with<fn::One>[index(op)]; }
  static constexpr int producer(int value) { return value == 0 ? -1 : Ops::values[index(value)].producer; }
  static constexpr bool only_ones_read(int value) {
    const auto& v = Ops::values[index(value)];
    for (int r = 0; r < v.read_count; ++r)
      if (!makes_one(Ops::readers[index(v.first_read + r)])) return false;
    return v.read_count > 0;
  }

  struct Walk {
    std::array<Timing, index(Ops::value_count)> timing{};
    std::array<Op, index(Ops::op_count)> ops = Ops::ops;
    std::array<IndexMap, index(Ops::op_count)> maps = given_maps;
    int refused = -1;  // op
    Unstreamable why = Unstreamable::no;

    constexpr explicit Walk(Timing of_input) {
      timing[0] = of_input;
      for (int i = 0; i < Ops::op_count && refused < 0; ++i) {
        Timing& y = timing[index(ops[index(i)].output)];
        y = timing[index(ops[index(i)].inputs[0])];
        why = of_attention(i) ? Unstreamable::all_moments : step(i, ops[index(i)], y);
        if (why != Unstreamable::no) refused = i;
      }
      if (refused < 0 && timing[index(Ops::output_value)].attention != Attention::no) {
        refused = producer(Ops::output_value);
        why = Unstreamable::all_moments;
      }
    }

   private:
    /// Whether an op reads scores or weights of attention, and is none that attention has.
    constexpr bool of_attention(int i) const {
      const Op& op = ops[index(i)];
      if (op.kind == OpKind::row || op.kind == OpKind::mask || op.kind == OpKind::matrix_product) return false;
      if (op.kind == OpKind::index_map && maps[index(i)] == unchanged(op.in)) return false;
      for (int k = 0; k < op.input_count; ++k)
        if (timing[index(op.inputs[k])].attention != Attention::no) return true;
      return false;
    }
    /// Changes an op, and the timing of its first input to that of its output.
    constexpr Unstreamable step(int i, Op& op, Timing& y) {
      switch (op.kind) {
        case OpKind::product:
          if (op.whole && !y.each && makes_one(producer(op.inputs[0]))) return table(op, y);
          return product(op, y);
        case OpKind::pool:
          if (op.adaptive) return Unstreamable::all_moments;
          return slide(op, y);
        case OpKind::row:
          return row(op, y, ops_with<fn::Softmax>[index(i)]);
        case OpKind::add:
        case OpKind::elementwise:
        case OpKind::concat:
          return join(op, y);
        case OpKind::index_map:
          if (!y.each && only_ones_read(op.output)) return first_number(op, y, maps[index(i)]);
          return move(op, y, maps[index(i)]);
        case OpKind::normalize:
          if (!y.each && (op.in.rank == 1 || !y.along_width(op.in))) return Unstreamable::parameters;
          return pointwise(op, y);
        case OpKind::group_normalize:
          return normalize_groups(op, y);
        case OpKind::lookup:
          return look_up(op, y);
        case OpKind::recurrence:
          return recur(op, y);
        case OpKind::map:
          return op.of_position && !y.each ? encode(op, y, steps_last[index(i)]) : pointwise(op, y);
        case OpKind::mask:
        case OpKind::statistics:
          return pointwise(op, y);
        case OpKind::matrix_product:
          return multiply_matrices(op, y);
        default:
          return Unstreamable::all_moments;
      }
    }
    static constexpr Unstreamable pointwise(Op& op, const Timing& y) {
      if (!y.each) op.in = op.out = features(y.features());
      return Unstreamable::no;
    }
    static constexpr Unstreamable product(Op& op, Timing& y) {
      if (op.transposed) return Unstreamable::transposed;
      if (op.per_channel) {
        const bool one = op.in.channels == 1, lanes = y.each ? op.in.pixels() == 1 : y.along_width(op.in);
        if (!one && !lanes) return Unstreamable::parameters;
        op.whole = true;
        return pointwise(op, y);
      }
      if (!op.whole) return slide(op, y);
      return y.each ? Unstreamable::no : Unstreamable::one_row;
    }
    /// Windows along the time.
    static constexpr Unstreamable slide(Op& op, Timing& y) {
      const Window& w = op.window;
      if (op.in.rank != 2 || !y.along_width(op.in)) return Unstreamable::window;
      if (w.padding_width >= w.reach_width()) return Unstreamable::padding;
      y.delay += (w.reach_width() - 1 - w.padding_width) * y.period;
      y.period *= w.stride_width;
      y.outer = op.out.channels;
      y.length = op.out.width;
      op.whole = op.kind == OpKind::product;
      op.in = features(op.in.channels);
      op.out = features(op.out.channels);
      return Unstreamable::no;
    }
    static constexpr Unstreamable row(Op& op, Timing& y, bool softmax) {
      if (y.each) return Unstreamable::no;
      const int n = op.in.size() / op.groups;
      if (y.inner % n != 0) return Unstreamable::all_moments;
      if (y.attention != Attention::no) {
        if (y.attention != Attention::scores || !softmax || n != y.length) return Unstreamable::all_moments;
        y.attention = Attention::weights;
      }
      op.groups = y.features() / n;
      return pointwise(op, y);
    }
    constexpr Unstreamable multiply_matrices(Op& op, Timing& y) {
      const Timing left = timing[index(op.inputs[0])], right = timing[index(op.inputs[1])];
      if (left.each && right.each) return join(op, y);
      const bool weighted = left.attention != Attention::no || right.attention != Attention::no;
      return weighted ? sum_moments(op, left, right, y) : score_moments(op, left, right, y);
    }
    /// A constant for each position. Its shape is one that no other value of a moment has, so that it does not ride.
    static constexpr Unstreamable encode(Op& op, const Timing& y, bool along_width) {
      if (along_width ? !y.along_width(op.in) : !y.along_channels(op.in)) return Unstreamable::positions;
      op.in = image(1, 1, y.features());
      op.out = features(y.features());
      return Unstreamable::no;
    }
    /// What only becomes 1: the first number of each moment instead of that of the first one.
    static constexpr Unstreamable first_number(Op& op, Timing& y, IndexMap& map) {
      op.in = features(y.features());
      op.out = features(1);
      op.begin = -1;
      map = unchanged(op.in);
      map.factor[0].out = 1;
      y.outer = y.inner = 1;
      return Unstreamable::no;
    }
    /// A row of learned numbers for each position.
    static constexpr Unstreamable table(Op& op, Timing& y) {
      if (op.with_bias || y.features() != 1 || op.out.size() % y.length != 0) return Unstreamable::one_row;
      y.inner = op.out.size() / y.length;
      op.in = features(1);
      op.out = features(y.inner);
      return Unstreamable::no;
    }
    constexpr Unstreamable join(Op& op, Timing& y) {
      const bool concat = op.kind == OpKind::concat;
      for (int k = 0; k < op.input_count; ++k) {
        const Timing& other = timing[index(op.inputs[k])];
        if (concat && !other.each && !other.along_width(op.seen(k))) return Unstreamable::moved;
        if (!y.is_like(other) || (!concat && !y.each && y.outer != other.outer)) return Unstreamable::rates;
        if (k > 0 && concat) y.outer += other.outer;
        y.delay = other.delay > y.delay ? other.delay : y.delay;
      }
      if (!concat) return pointwise(op, y);
      if (y.each) return Unstreamable::no;
      op.in = features(op.channels[0]);
      op.out = features(y.outer);
      return Unstreamable::no;
    }
    /// The time is one axis of the map, along which it changes nothing.
    static constexpr Unstreamable move(Op& op, Timing& y, IndexMap& map) {
      if (y.each) return Unstreamable::no;
      if (y.attention != Attention::no) {  // unchanged
        map = unchanged(features(y.features()));
        return pointwise(op, y);
      }
      const int axis = y.along_width(op.in) ? 2 : y.along_channels(op.in) ? 0 : -1;
      if (axis < 0) return Unstreamable::one_row;
      int time = -1;
      for (int k = 0; k < map.count; ++k)
        if (map.factor[k].in_axis == axis && map.factor[k].in == y.length && map.factor[k].in_step == 1) time = k;
      if (time < 0) return Unstreamable::moved;
      IndexFactor& factor = map.factor[time];
      if (factor.rule == IndexRule::sum || factor.rule == IndexRule::mean) return Unstreamable::all_moments;
      const int out_axis = factor.out_axis;
      for (int k = 0; k < map.count; ++k) {
        const IndexFactor& other = map.factor[k];
        const bool in_time = other.in_axis == axis || other.out_axis == out_axis;
        if (k != time && in_time && (other.in != 1 || other.out != 1)) return Unstreamable::moved;
      }
      if (!factor.is_identity()) return Unstreamable::moved;
      const Dims out = op.out;
      y.outer = y.inner = 1;
      for (int other = 0; other < 3; ++other) {
        if (other < out_axis) y.outer *= size_along(out, other);
        if (other > out_axis) y.inner *= size_along(out, other);
      }
      factor.in = factor.out = 1;
      (axis == 2 ? op.in.width : op.in.channels) = 1;
      (out_axis == 2 ? op.out.width : out_axis == 1 ? op.out.height : op.out.channels) = 1;
      op.begin = -1;
      return Unstreamable::no;
    }
    /// Of each moment separately, as LayerNorm does.
    static constexpr Unstreamable normalize_groups(Op& op, const Timing& y) {
      if (y.each) return Unstreamable::no;
      if (op.in.rank != 2 || !y.along_channels(op.in) || op.groups != y.length) return Unstreamable::all_moments;
      if (op.weight >= 0 || op.bias >= 0) return Unstreamable::parameters;
      op.groups = 1;
      op.in = op.out = series(1, y.inner);
      return Unstreamable::no;
    }
    static constexpr Unstreamable look_up(Op& op, Timing& y) {
      if (y.each || y.features() != 1) return Unstreamable::one_row;
      const int size = op.transposed ? op.out.channels : op.out.width;
      (op.transposed ? y.outer : y.inner) = size;
      op.in = features(1);
      op.out = op.transposed ? series(size, 1) : series(1, size);
      return Unstreamable::no;
    }
    static constexpr Unstreamable recur(Op& op, Timing& y) {
      if (op.directions > 1) return Unstreamable::reverse;
      if (op.input_count > 1) return Unstreamable::inputs;
      if (op.in.rank != 2 || !y.along_channels(op.in)) return Unstreamable::window;
      y.each = op.out.rank == 1;
      y.inner = op.h_size();
      op.in = series(1, op.in.width);
      op.out = features(op.h_size());
      return Unstreamable::no;
    }
  };

  static constexpr Dims input = Ops::input;
  static constexpr Walk last{Timing{false, input.channels* input.height, input.width, 1}},
      first{Timing{false, 1, input.channels, input.pixels()}};
  /// Whether the first layer that has a time takes it to be the first dimension.
  static constexpr bool begins_with_steps() {
    for (const Op& op : Ops::ops) {
      if (op.kind == OpKind::recurrence || op.kind == OpKind::matrix_product) return true;
      if (op.kind == OpKind::pool || (op.kind == OpKind::product && !op.whole && op.window.width > 1)) return false;
    }
    return false;
  }
  /// Time is the last dimension of the input, or the first one: the one with which all layers can run, or else the one
  /// that the layers expect.
  static constexpr bool time_first =
      input.rank == 1 || (input.rank == 2 && last.refused >= 0 && (first.refused < 0 || begins_with_steps()));
  static constexpr Walk walk = time_first ? first : last;

 public:
  static constexpr int refused = walk.refused;
  static constexpr Unstreamable why = walk.why;
  static constexpr auto timing = walk.timing;
  static constexpr auto ops = walk.ops;
  static constexpr auto maps = walk.maps;
  /// Whether an op is a product with a row of its weight for each position.
  static constexpr bool is_table(int op) {
    const Op& o = ops[index(op)];
    return o.kind == OpKind::product && !timing[index(o.output)].each && makes_one(producer(o.inputs[0]));
  }
  /// Whether an op differs from position to position, and ends with the last position of the model.
  static constexpr bool has_positions(int op) {
    const Op& o = ops[index(op)];
    return !timing[index(o.output)].each && (o.of_position || o.kind == OpKind::matrix_product || is_table(op));
  }
  /// How many moments a stream takes until its positions end.
  static constexpr std::uint64_t max_moments = [] {
    std::uint64_t most = UINT64_MAX;
    for (int i = 0; i < Ops::op_count && refused < 0; ++i)
      if (has_positions(i)) {
        const Timing& t = timing[index(ops[index(i)].output)];
        most = std::min(most, static_cast<std::uint64_t>(t.delay) +
                                  static_cast<std::uint64_t>(t.length) * static_cast<std::uint64_t>(t.period));
      }
    return most;
  }();
  /// The shape of a value at one moment.
  static constexpr Dims dims(int value) {
    const Timing& t = timing[index(value)];
    return t.each ? Ops::values[index(value)].dims : features(t.features());
  }
};

SINTER_NAMESPACE_END
