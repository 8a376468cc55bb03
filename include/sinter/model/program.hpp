// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "sinter/model/builder.hpp"
#include "sinter/model/sequential.hpp"

SINTER_NAMESPACE_BEGIN

/// The graph of a model, as constexpr values: what planners and devices read. Ops are in an order in which they can be
/// computed; ops, values and parameters are bound by number.
template <class Model, class Layers = typename Model::LayerTypes>
struct Program;

template <class Model, class... Layers>
struct Program<Model, LayerList<Layers...>> {
 private:
  using OpTypes = concatenate<typename Layers::Ops...>;

  static constexpr int build(Builder& builder) {
    Wire wire = builder.input<typename Model::InputLayer>();
    ((wire = builder.template layer<Layers>(wire)), ...);
    return wire.value;
  }
  static constexpr Builder::Counts counts = [] {
    Builder builder;
    build(builder);
    return builder.counts();
  }();
  static_assert(counts.ops == OpTypes::size, "sinter: a layer lists other ops than it builds");
  static_assert(counts.shared <= Builder::most_shared, "sinter: a model has at most 32 sets of Shared layers");

  static constexpr std::size_t index(int i) { return static_cast<std::size_t>(i); }

  struct Graph {
    std::array<Op, index(counts.ops)> ops{};
    std::array<Builder::Value, index(counts.values)> values{};
    std::array<int, index(counts.reads)> readers{};
    std::array<Parameter, index(counts.parameters)> parameters{};
    std::array<Parameter, index(counts.buffers)> buffers{};
    std::array<Builder::Again, index(counts.again)> again{};
    std::array<char, index(counts.characters)> characters{};
    std::array<Dims, sizeof...(Layers)> layer_outputs{};
    int output_value = 0, arena_size = 0, buffers_size = 0;
  };
  static constexpr Graph build_graph() {
    Graph g;
    Builder builder{{g.ops.data(), g.values.data(), g.parameters.data(), g.buffers.data(), g.again.data(),
                     g.characters.data(), g.layer_outputs.data()}};
    g.output_value = build(builder);
    g.arena_size = builder.arena_size();
    g.buffers_size = builder.buffers_size();
    for (const Op& op : g.ops)
      for (int k = 0; k < op.input_count; ++k) ++g.values[index(op.inputs[k])].read_count;
    for (std::size_t v = 1; v < g.values.size(); ++v)
      g.values[v].first_read = g.values[v - 1].first_read + g.values[v - 1].read_count;
    std::array<int, index(counts.values)> seen{};
    for (std::size_t i = 0; i < g.ops.size(); ++i)
      for (int k = 0; k < g.ops[i].input_count; ++k) {
        const std::size_t v = index(g.ops[i].inputs[k]);
        g.readers[index(g.values[v].first_read + seen[v]++)] = static_cast<int>(i);
      }
    return g;
  }
  static constexpr Graph graph = build_graph();

 public:
  static constexpr int layer_count = sizeof...(Layers);
  static constexpr int op_count = counts.ops, value_count = counts.values, parameter_count = counts.parameters,
                       read_count = counts.reads;
  static constexpr Dims input = Model::input_dims, output = Model::output_dims;
  static constexpr int output_value = graph.output_value;
  static constexpr std::uint64_t hash = Model::built.hash;  // see detail::HashedModel
  /// The type of an op, for the sake of its functor.
  template <int Index>
  using OpType = typename OpTypes::template At<Index>;

  static constexpr std::array<const char*, layer_count> layer_names{Layers::name...};
  static constexpr std::array<Dims, layer_count> layer_outputs = graph.layer_outputs;
  static constexpr std::array<Op, index(op_count)> ops = graph.ops;
  static constexpr std::array<Builder::Value, index(value_count)> values = graph.values;
  /// The op of each read of a value, see Builder::Value.
  static constexpr std::array<int, index(read_count)> readers = graph.readers;

 private:
  static constexpr std::array<char, index(counts.characters)> characters = graph.characters;
  template <std::size_t N>
  static constexpr std::array<Parameter, N> named(std::array<Parameter, N> all, int first_offset) {
    for (Parameter& p : all) {
      p.name = {characters.data() + p.name_begin, index(p.name_size)};
      p.offset += first_offset;
    }
    return all;
  }

 public:
  static constexpr std::array<Parameter, index(parameter_count)> parameters = named(graph.parameters, 0);
  /// Numbers that a network keeps but does not train. They follow the parameters.
  static constexpr std::array<Parameter, index(counts.buffers)> buffers = named(graph.buffers, graph.arena_size);
  static constexpr int buffer_count = counts.buffers;
  /// What a Shared has in other places than its first, with its names there.
  static constexpr std::array<Builder::Again, index(counts.again)> again = [] {
    std::array<Builder::Again, index(counts.again)> all = graph.again;
    for (Builder::Again& one : all) one.name = {characters.data() + one.name_begin, index(one.name_size)};
    return all;
  }();
  /// The length of the parameter arena in elements, gaps for alignment included.
  static constexpr int arena_size = graph.arena_size;
  /// The same with the buffers: all that a network keeps.
  static constexpr int storage_size = graph.arena_size + graph.buffers_size;
  /// How many numbers are trained, without the gaps.
  static constexpr int trained = [] {
    int n = 0;
    for (const auto& p : parameters) n += p.size;
    return n;
  }();
};

SINTER_NAMESPACE_END
