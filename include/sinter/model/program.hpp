// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <type_traits>

#include "sinter/model/sequential.hpp"
#include "sinter/ops/op.hpp"

SINTER_NAMESPACE_BEGIN

/// A trained tensor: where it lies in the parameter arena (in elements) and how it is shaped (PyTorch's layout).
struct Parameter {
  int op = 0, layer = 0;
  int stream = 0;  // what its initial numbers are keyed by
  int part = -1;   // number among the products of its layer, where there are several
  bool is_bias = false;
  int offset = 0, size = 0;
  int fan_in = 0, fan_out = 0;
  std::array<int, 4> shape{};
  int rank = 0;

  /// PyTorch's name in a Sequential: "0.weight", "0.bias", ..; "0.0.weight", "0.1.weight" in a layer of two products.
  std::string name() const {
    return std::to_string(layer) + (part < 0 ? "" : "." + std::to_string(part)) + (is_bias ? ".bias" : ".weight");
  }
};

/// Offsets of parameters are multiples of this many elements, so that every tensor starts on a cache line and the
/// optimizer is one loop over whole packs.
inline constexpr int parameter_alignment = 16;

/// The op list of a model, as constexpr values: what planners and devices read. Ops and values are bound by index.
template <class Model, class Layers = typename Model::LayerTypes>
struct Program;

template <class Model, class... Layers>
struct Program<Model, LayerList<Layers...>> {
 private:
  using OpTypes = concatenate<typename Layers::Ops...>;

 public:
  static constexpr int layer_count = sizeof...(Layers);
  static constexpr int op_count = OpTypes::size;
  static constexpr int value_count = op_count + 1;  // value 0 is the input
  static constexpr Dims input = Model::input_dims, output = Model::output_dims;
  /// The type of an op, for the sake of its functor.
  template <int I>
  using OpType = typename OpTypes::template At<I>;

  static constexpr std::array<const char*, layer_count> layer_names{Layers::name...};

 private:
  struct Lowered {
    std::array<Op, op_count> ops{};
    std::array<Dims, layer_count> layer_outputs{};
  };
  struct Lowering {
    Lowered result{};
    Dims dims = input;
    int op = 0, layer = 0, part = 0;
  };
  template <class... O>
  static constexpr void add_ops(Lowering& l, OpList<O...>) {
    [[maybe_unused]] auto add = [&](Op op) {
      op.input = l.op;
      op.output = l.op + 1;
      op.layer = l.layer;
      op.part = l.part++;
      l.dims = op.out;
      l.result.ops[static_cast<std::size_t>(l.op++)] = op;
    };
    (add(O::describe(l.dims)), ...);
  }
  template <class L>
  static constexpr void add_layer(Lowering& l) {
    const Dims in = l.dims;
    l.part = 0;
    add_ops(l, typename L::Ops{});
    if constexpr (requires { L::output(in); }) l.dims = L::output(in);
    l.result.layer_outputs[static_cast<std::size_t>(l.layer++)] = l.dims;
  }
  static constexpr Lowered lower() {
    Lowering l;
    (add_layer<Layers>(l), ...);
    int parameter = 0;
    for (auto& op : l.result.ops)
      if (op.kind == OpKind::product) {
        op.weight = parameter++;
        if (op.with_bias) op.bias = parameter++;
      }
    return l.result;
  }
  static constexpr Lowered lowered = lower();

 public:
  static constexpr std::array<Op, op_count> ops = lowered.ops;
  static constexpr std::array<Dims, layer_count> layer_outputs = lowered.layer_outputs;
  static constexpr int parameter_count = [] {
    int n = 0;
    for (const auto& op : lowered.ops) n += op.kind == OpKind::product ? 1 + op.with_bias : 0;
    return n;
  }();

 private:
  /// The number of a product among those of its layer, or -1 where it is the only one.
  static constexpr int part_of(int product) {
    int before = 0, all = 0;
    for (int i = 0; i < op_count; ++i) {
      const Op& other = ops[static_cast<std::size_t>(i)];
      if (other.kind != OpKind::product || other.layer != ops[static_cast<std::size_t>(product)].layer) continue;
      ++all;
      before += i < product;
    }
    return all == 1 ? -1 : before;
  }
  static constexpr std::array<Parameter, parameter_count> place_parameters() {
    std::array<Parameter, parameter_count> all{};
    std::size_t next = 0;
    int offset = 0;
    for (int i = 0; i < op_count; ++i) {
      const Op& op = ops[static_cast<std::size_t>(i)];
      if (op.kind != OpKind::product) continue;
      Parameter weight;
      weight.op = i;
      weight.layer = op.layer;
      weight.stream = op.stream();
      weight.part = part_of(i);
      weight.fan_in = op.fan_in();
      weight.fan_out = op.fan_out();
      weight.size = op.out.channels * op.fan_in();
      weight.rank = op.whole ? 2 : 4;
      if (op.whole)
        weight.shape = {op.out.channels, op.in.size()};
      else
        weight.shape = {op.out.channels, op.in.channels / op.window.groups, op.window.height, op.window.width};
      weight.offset = offset;
      offset += round_up(weight.size, parameter_alignment);
      all[next++] = weight;
      if (op.with_bias) {
        Parameter bias = weight;
        bias.is_bias = true;
        bias.size = op.out.channels;
        bias.rank = 1;
        bias.shape = {op.out.channels};
        bias.offset = offset;
        offset += round_up(bias.size, parameter_alignment);
        all[next++] = bias;
      }
    }
    return all;
  }

 public:
  static constexpr std::array<Parameter, parameter_count> parameters = place_parameters();
  /// The length of the parameter arena in elements, gaps for alignment included.
  static constexpr int arena_size = [] {
    int end = 0;
    for (const auto& p : parameters) end = p.offset + round_up(p.size, parameter_alignment);
    return end;
  }();
  /// How many numbers are trained, without the gaps.
  static constexpr int trained = [] {
    int n = 0;
    for (const auto& p : parameters) n += p.size;
    return n;
  }();
};

SINTER_NAMESPACE_END
