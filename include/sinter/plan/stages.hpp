// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>

#include "sinter/model/program.hpp"
#include "sinter/plan/kinds.hpp"

SINTER_NAMESPACE_BEGIN

/// A fused kernel: the ops [first, last). Ops after the first one (all of them, for `map`) ride in its registers.
struct Stage {
  Source source = Source::map;
  int first = 0, last = 0;    // ops
  int input = 0, output = 0;  // values: the first input, and the one stored at the end
  int pool = -1;              // the pool that rides, if any
  bool adds = false;          // whether some rider reads another stored value

  constexpr int first_rider() const { return source == Source::map ? first : first + 1; }
  constexpr bool is_product() const { return source == Source::matmul || source == Source::convolution; }
};

constexpr Source source_of(const Op& op, bool training) {
  switch (op.kind) {
    case OpKind::product:
      return op.whole ? Source::matmul : op.transposed ? Source::transposed : Source::convolution;
    case OpKind::pool:
      return Source::pool;
    case OpKind::row:
      return Source::row;
    case OpKind::concat:
      return Source::concat;
    case OpKind::statistics:
      return Source::statistics;
    case OpKind::normalize:
      return training ? Source::normalize : Source::map;
    case OpKind::elementwise:
      return Source::elementwise;
    case OpKind::index_map:
      return Source::index_map;
    case OpKind::lookup:
      return Source::lookup;
    case OpKind::group_normalize:
      return Source::group_normalize;
    case OpKind::recurrence:
      return Source::recurrence;
    case OpKind::matrix_product:
      return Source::matrix_product;
    case OpKind::map:
    case OpKind::mask:
    case OpKind::add:
      break;
  }
  return Source::map;
}

/// Cuts the ops of a model into stages. An op rides on the stage before it if it is the only reader of its value, and
/// if the device allows it: `Rules::rides(stage, source, before, op)`, `source` being the op that the stage begins with
/// and `before` the one after which the op would ride. Inference has no statistics of a batch. In a model that declares
/// `unfused` nothing rides: tests compare with it.
template <class M, class Rules, bool Training = true>
struct Stages {
  using Model = M;
  using Ops = Program<Model>;
  static constexpr int op_count = Ops::op_count;
  static constexpr const Op& op(int i) { return Ops::ops[index(i)]; }

 private:
  static constexpr std::size_t index(int i) { return static_cast<std::size_t>(i); }
  struct Cut {
    std::array<Stage, index(op_count + 1)> at{};
    int count = 0;
  };
  static constexpr bool rides(const Stage& stage, int i) {
    const Source source = source_of(op(i), Training);
    if (requires { Model::unfused; }) return false;
    return stage.source != Source::row && (source == Source::map || source == Source::pool) &&
           reads(op(i), stage.output) && readers(stage.output) == 1 &&
           Rules::rides(stage, op(stage.first), op(Ops::values[index(stage.output)].producer), op(i));
  }
  static constexpr int readers(int value) {
    const auto& v = Ops::values[index(value)];
    int read = v.read_count;
    for (int r = 0; r < v.read_count && !Training; ++r)
      read -= op(Ops::readers[index(v.first_read + r)]).kind == OpKind::statistics;
    return read;
  }
  static constexpr bool reads(const Op& op, int value) {
    for (int k = 0; k < op.input_count; ++k)
      if (op.inputs[k] == value) return true;
    return false;
  }
  static constexpr Cut cut() {
    Cut stages;
    for (int i = 0; i < op_count; ++i) {
      if (op(i).kind == OpKind::statistics && !Training) continue;
      if (stages.count == 0 || !rides(stages.at[index(stages.count - 1)], i))
        stages.at[index(stages.count++)] = {source_of(op(i), Training), i, i, op(i).inputs[0], 0, -1, false};
      Stage& stage = stages.at[index(stages.count - 1)];
      if (op(i).kind == OpKind::pool && i > stage.first) stage.pool = i;
      if (op(i).kind == OpKind::add) stage.adds = true;
      stage.last = i + 1;
      stage.output = op(i).output;
    }
    return stages;
  }
  static constexpr Cut all = cut();
  static constexpr std::array<bool, index(Ops::value_count)> all_learned = [] {
    std::array<bool, index(Ops::value_count)> learned{};
    for (const Op& o : Ops::ops) {
      bool& made = learned[index(o.output)];
      made = o.weight >= 0 || o.bias >= 0;
      for (int k = 0; k < o.input_count; ++k) made = made || learned[index(o.inputs[k])];
    }
    return learned;
  }();
  /// The first parameter of what a stage begins with.
  static constexpr int owned(int s) {
    const Op& source = op(all.at[index(s)].first);
    return source.weight >= 0 ? source.weight : source.bias;
  }

 public:
  static constexpr int count = all.count;
  static constexpr const Stage& at(int s) { return all.at[index(s)]; }
  /// The stage that does an op.
  static constexpr int of_op(int i) {
    int s = 0;
    while (all.at[index(s)].last <= i) ++s;
    return s;
  }
  /// The input of a rider that is in registers: an add reads the other one from memory.
  static constexpr int main_input(int i) {
    int before = i - 1;
    while (before >= 0 && op(before).kind == OpKind::statistics) --before;
    return at(of_op(i)).first < i && op(i).inputs[0] != op(before).output ? 1 : 0;
  }
  /// To how many inputs of its source a stage gives gradients itself; statistics get theirs in another way.
  static constexpr int given(int s) { return kind_of(at(s).source).several_inputs ? op(at(s).first).input_count : 1; }
  /// Whether a value depends on parameters. The gradient of a value that depends only on the input is not needed,
  /// unless that of the input is.
  static constexpr bool learned(int value) { return all_learned[index(value)]; }
  /// Whether the gradient of a stage's input is needed, where that of the network's input is not.
  static constexpr bool wants_input_gradient(int s) {
    for (int k = 0; k < given(s); ++k)
      if (learned(op(at(s).first).inputs[k])) return true;
    return false;
  }
  /// Whether two stages begin with the same parameters (Shared). Backward runs the later one first.
  static constexpr bool share_parameters(int s, int other) { return owned(s) >= 0 && owned(s) == owned(other); }
  /// Whether a stage after `s` gives a gradient to the same parameters; that of `s` is then added.
  static constexpr bool gives_again(int s) {
    for (int later = s + 1; later < count; ++later)
      if (share_parameters(s, later)) return true;
    return false;
  }
  /// The stage that makes a stored value; -1 for the input of the network.
  static constexpr int producer(int value) { return value == 0 ? -1 : of_op(Ops::values[index(value)].producer); }
};

SINTER_NAMESPACE_END
