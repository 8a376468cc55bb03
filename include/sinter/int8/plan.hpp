// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <utility>

#include "sinter/fn/hardtanh.hpp"
#include "sinter/fn/identity.hpp"
#include "sinter/fn/relu.hpp"
#include "sinter/int8/fake_quantize.hpp"
#include "sinter/int8/fixed_point.hpp"
#include "sinter/model/program.hpp"
#include "sinter/plan/lifetimes.hpp"

SINTER_NAMESPACE_BEGIN

namespace int8 {

/// What computes an op: none where it changes no numbers of 8 bits, or another op has done its work.
enum class Role : unsigned char { none, product, depthwise, table, max_pool, average_pool, add, multiply, concat, row };

/// Whether an op brings sums to 8 bits by a Rescale.
constexpr bool shifts(Role role) {
  using enum Role;
  return role == product || role == depthwise || role == add || role == multiply || role == average_pool;
}

/// Values are stored with the channels of a pixel side by side, [pixels][channels]: of which number i of [channels]
/// [pixels] is at place_of(i). `channels` is 1 where the order is the same.
struct Order {
  int size = 0, channels = 1;

  static constexpr Order of(Dims dims) { return {dims.size(), dims.pixels() > 1 ? dims.channels : 1}; }
  constexpr int place_of(int i) const {
    const int pixels = size / channels;
    return channels == 1 ? i : i % pixels * channels + i / pixels;
  }
  friend constexpr bool operator==(const Order&, const Order&) = default;
};

/// min(max(x, low), high).
struct Limits {
  double low = -std::numeric_limits<double>::infinity(), high = std::numeric_limits<double>::infinity();
  constexpr double of(double x) const { return x < low ? low : x > high ? high : x; }
};
struct KnownLimits {
  bool known = false;
  Limits limits{};
  Quantization stated{0, 0};  // that the outputs take; a scale of 0: none
};
/// Those of an activation that is nothing else.
template <class Functor>
inline constexpr KnownLimits limits_of{};
template <>
inline constexpr KnownLimits limits_of<fn::Identity>{true, {}};
template <>
inline constexpr KnownLimits limits_of<fn::Relu>{true, {0, std::numeric_limits<double>::infinity()}};
template <double low, double high>
inline constexpr KnownLimits limits_of<fn::Hardtanh<low, high>>{true, {low, high}};
template <double low, double high>
inline constexpr KnownLimits limits_of<fn::FakeQuantize<low, high>> = [] {
  constexpr Quantization stated{fn::FakeQuantize<low, high>::scale, fn::FakeQuantize<low, high>::zero};
  constexpr auto step = static_cast<double>(stated.scale);
  return KnownLimits{true, {step * -stated.zero, step * (255 - stated.zero)}, stated};
}();
template <class OpType>
inline constexpr KnownLimits limits_of_op{};
template <class OpType>
  requires requires { typename OpType::Functor; }
inline constexpr KnownLimits limits_of_op<OpType> = limits_of<typename OpType::Functor>;

/// Numbers beyond the last that kernels may read.
inline constexpr int read_beyond = 64;
/// Bytes of a row of a value: kernels write up to 15 beyond its numbers.
constexpr int row_bytes(int size) { return round_up(size + 15, 16); }

/// How a model is computed in 8 bits. A batch normalisation is folded into the product before it. Masks do nothing.
/// Values that a chain of largest-element pools and limits (ReLU) makes have one quantization, that of its end: so the
/// 8 bits of the op before the chain apply its limits.
template <class Model>
class Plan {
  using Ops = Program<Model>;
  static constexpr std::size_t at(int i) { return static_cast<std::size_t>(i); }
  static constexpr int op_count = Ops::op_count, value_count = Ops::value_count;

 public:
  struct OfOp {
    Role role = Role::none;
    int target = -1;     // the value that it writes
    int normalize = -1;  // the op that is folded into it
    bool pools = false;  // 2 x 2 of its outputs to their largest
    Limits limits{};     // of its output
  };
  struct OfValue {
    int kept = 0;               // the value in whose memory it is
    int scale = 0;              // the value that has its quantization
    bool measured = true;       // whether its range counts for that
    Quantization stated{0, 0};  // by a FakeQuantize, instead; a scale of 0: none
    Order order{};
    int place = 0;  // bytes of each row before it
  };
  struct Graph {
    std::array<OfOp, at(op_count)> ops{};
    std::array<OfValue, at(value_count)> values{};
    Limits of_input{};
    int bytes = 0;  // of each row
  };

 private:
  /// Readers that need the numbers of a value.
  static constexpr int reads(int value) {
    const auto& of = Ops::values[at(value)];
    int count = 0;
    for (int r = of.first_read; r < of.first_read + of.read_count; ++r)
      count += Ops::ops[at(Ops::readers[at(r)])].kind != OpKind::statistics;
    return count;
  }
  static constexpr auto limits = []<std::size_t... I>(std::index_sequence<I...>) {
    return std::array<KnownLimits, sizeof...(I)>{limits_of_op<typename Ops::template OpType<static_cast<int>(I)>>...};
  }(std::make_index_sequence<at(op_count)>{});

  static constexpr bool per_channel(const Op& op) {
    return !op.whole && op.window.groups == op.in.channels && op.out.channels == op.in.channels;
  }
  static constexpr Role role_of(const Op& op) {
    switch (op.kind) {
      case OpKind::product:
        return per_channel(op) ? Role::depthwise : Role::product;
      case OpKind::normalize:
        return Role::depthwise;
      case OpKind::map:
        return Role::table;
      case OpKind::pool:
        return op.average ? Role::average_pool : Role::max_pool;
      case OpKind::add:
        return Role::add;
      case OpKind::elementwise:
        return Role::multiply;
      case OpKind::concat:
        return Role::concat;
      case OpKind::row:
        return Role::row;
      case OpKind::mask:
      case OpKind::statistics:  // nothing, in inference
      case OpKind::group_normalize:
      case OpKind::lookup:
      case OpKind::index_map:
      case OpKind::recurrence:
      case OpKind::matrix_product:  // refused
        break;
    }
    return Role::none;
  }
  /// The op, or -1 for the input, whose 8 bits can apply limits on a value; -2 without one.
  static constexpr int limited_by(const Graph& g, int value) {
    while (reads(value) == 1) {
      const int producer = Ops::values[at(value)].producer;
      if (producer < 0) return -1;
      const Op& op = Ops::ops[at(producer)];
      const OfOp& of = g.ops[at(producer)];
      if (op.kind == OpKind::normalize && of.role == Role::none) return Ops::values[at(op.inputs[0])].producer;
      if (of.role != Role::none && of.role != Role::max_pool) return producer;
      value = op.inputs[0];
    }
    return -2;
  }
  static constexpr void share(Graph& g, int value, int with, bool memory) {
    g.values[at(value)].scale = g.values[at(with)].scale;
    if (memory) {
      g.values[at(value)].kept = g.values[at(with)].kept;
      g.values[at(value)].order = g.values[at(with)].order;
    }
    if (reads(with) == 1) g.values[at(with)].measured = false;
  }
  static constexpr void fold_normalize(Graph& g, int i) {
    const Op& op = Ops::ops[at(i)];
    const int producer = Ops::values[at(op.inputs[0])].producer;
    if (producer < 0 || reads(op.inputs[0]) > 1) return;
    const Op& before = Ops::ops[at(producer)];
    if (before.kind != OpKind::product || before.out.channels != op.in.channels) return;
    g.ops[at(i)].role = Role::none;
    g.ops[at(producer)].target = op.output;
    g.ops[at(producer)].normalize = i;
    g.values[at(op.output)].order = g.values[at(op.inputs[0])].order;
  }
  static constexpr void take_limits(Graph& g, int i) {
    const Op& op = Ops::ops[at(i)];
    const int by = limited_by(g, op.inputs[0]);
    const Quantization& stated = limits[at(i)].stated;
    Quantization& before = g.values[at(g.values[at(op.inputs[0])].scale)].stated;
    const bool other = stated.scale > 0 && before.scale > 0 && stated != before;
    if (by == -2 || other || !limits[at(i)].known) {
      g.values[at(op.output)].stated = stated;
      return;
    }
    Limits& all = by == -1 ? g.of_input : g.ops[at(by)].limits;
    const Limits& own = limits[at(i)].limits;
    all = {own.of(all.low), own.of(all.high)};
    if (stated.scale > 0) before = stated;
    g.ops[at(i)].role = Role::none;
    share(g, op.output, op.inputs[0], true);
  }
  /// The largest of 2 x 2 outputs of a convolution that nothing else reads.
  static constexpr void fold_pool(Graph& g, int i) {
    OfOp& of = g.ops[at(i)];
    const int memory = g.values[at(of.target)].kept;
    int pool = -1, count = g.values[at(Ops::output_value)].kept == memory;
    for (int reader = 0; reader < op_count; ++reader)
      for (int k = 0; k < Ops::ops[at(reader)].input_count; ++k) {
        const int value = Ops::ops[at(reader)].inputs[k];
        if (g.ops[at(reader)].role == Role::none || g.values[at(value)].kept != memory) continue;
        pool = reader;
        ++count;
      }
    if (count != 1 || pool < 0 || g.ops[at(pool)].role != Role::max_pool) return;
    const Op& op = Ops::ops[at(pool)];
    const Window& w = op.window;
    if (op.uneven() || op.in != Ops::ops[at(i)].out || w.height != 2 || w.width != 2 || w.stride_height != 2 ||
        w.stride_width != 2 || w.dilation_height != 1 || w.dilation_width != 1 || op.out.height > op.in.height / 2 ||
        op.out.width > op.in.width / 2 || w.padding_height != 0 || w.padding_width != 0)
      return;
    of.target = op.output;
    of.pools = true;
    g.ops[at(pool)].role = Role::none;
  }
  static constexpr void place_values(Graph& g) {
    Lifetime all[at(value_count)]{};
    for (Lifetime& one : all) one.first_use = op_count + 2;
    const auto use = [&](int value, int moment) {
      Lifetime& one = all[at(g.values[at(value)].kept)];
      one.size = row_bytes(Ops::values[at(value)].dims.size());
      one.first_use = std::min(one.first_use, moment);
      one.last_use = std::max(one.last_use, moment);
    };
    use(0, 0);
    for (int i = 0; i < op_count; ++i) {
      if (g.ops[at(i)].role == Role::none) continue;
      use(g.ops[at(i)].target, i + 1);
      for (int k = 0; k < Ops::ops[at(i)].input_count; ++k)
        if (!Ops::values[at(Ops::ops[at(i)].inputs[k])].of_batch) use(Ops::ops[at(i)].inputs[k], i + 1);
    }
    use(Ops::output_value, op_count + 1);
    g.bytes = place_by_lifetime(all, value_count, 64);
    for (OfValue& value : g.values) value.place = all[at(value.kept)].offset;
  }

  static constexpr Graph make() {
    Graph g;
    for (int v = 0; v < value_count; ++v) g.values[at(v)] = {v, v, true, {0, 0}, Order::of(Ops::values[at(v)].dims), 0};
    for (int i = 0; i < op_count; ++i) {
      const Op& op = Ops::ops[at(i)];
      OfOp& of = g.ops[at(i)];
      of.role = role_of(op);
      of.target = op.output;
      if (op.kind == OpKind::normalize) fold_normalize(g, i);
      if (op.kind == OpKind::mask) share(g, op.output, op.inputs[0], true);
      if (of.role == Role::max_pool) share(g, op.output, op.inputs[0], false);
      if (of.role == Role::table || of.role == Role::add || of.role == Role::multiply)
        g.values[at(op.output)].order = g.values[at(op.inputs[0])].order;
      if (op.kind == OpKind::map) take_limits(g, i);
    }
    for (int i = 0; i < op_count; ++i)
      if (g.ops[at(i)].role == Role::product && !Ops::ops[at(i)].whole) fold_pool(g, i);
    place_values(g);
    return g;
  }
  static constexpr Graph graph = make();

 public:
  static constexpr std::array<OfOp, at(op_count)> ops = graph.ops;
  static constexpr std::array<OfValue, at(value_count)> values = graph.values;
  static constexpr Limits of_input = graph.of_input;
  /// Bytes of the values of a row, with what kernels read beyond the last.
  static constexpr int bytes = round_up(graph.bytes, 64);
};

}  // namespace int8

SINTER_NAMESPACE_END
