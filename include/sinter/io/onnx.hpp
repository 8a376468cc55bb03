// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sinter/core/error.hpp"
#include "sinter/core/macros.hpp"
#include "sinter/data/file.hpp"
#include "sinter/fn/of_position.hpp"
#include "sinter/io/about.hpp"
#include "sinter/io/onnx_graph.hpp"
#include "sinter/io/onnx_index_map.hpp"
#include "sinter/io/weights.hpp"
#include "sinter/model/outputs.hpp"
#include "sinter/network/network.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {

/// A model as a list of ops, for a function that is not a template.
struct OnnxModel {
  std::span<const Op> ops;
  std::span<const OnnxFunctor> functors;  // of each op
  std::span<const IndexMap> index_maps;   // of each op
  std::size_t parameter_count = 0;        // after which buffers are named
  std::span<const RowPart> inputs;
  std::span<const RowPart> outputs;
  Dims input{}, output{};  // of the rows of all inputs and outputs
  int value_count = 0, output_value = 0;
};

template <class Ops, int Index>
constexpr OnnxFunctor functor_of() {
  using OpType = typename Ops::template OpType<Index>;
  OnnxFunctor functor;
  if constexpr (requires { typename OpType::Functor; }) {
    using F = typename OpType::Functor;
    constexpr Dims in = Ops::ops[static_cast<std::size_t>(Index)].in;
    functor = fn::onnx_of<F>;
    if constexpr (fn::OfPosition<F>)
      functor.numbers = {F::template numbers<double, in>(), static_cast<std::size_t>(in.size())};
  }
  return functor;
}
template <class Ops, std::size_t... Index>
constexpr std::array<OnnxFunctor, sizeof...(Index)> functors_of(std::index_sequence<Index...>) {
  return {functor_of<Ops, static_cast<int>(Index)>()...};
}

template <class Ops, int Index>
constexpr IndexMap index_map_of() {
  if constexpr (requires { typename Ops::template OpType<Index>::Indices; })
    return Ops::template OpType<Index>::Indices::indices(Ops::ops[static_cast<std::size_t>(Index)].in);
  else
    return IndexMap{};
}
template <class Ops, std::size_t... Index>
constexpr std::array<IndexMap, sizeof...(Index)> index_maps_of(std::index_sequence<Index...>) {
  return {index_map_of<Ops, static_cast<int>(Index)>()...};
}

SINTER_COLD std::vector<OnnxAttribute> window_attributes(const Op& op);

/// Normalises by the running mean and variance of the statistics op.
SINTER_COLD std::string batch_normalization(OnnxGraph& graph, const Op& op, const Op& statistics, std::string_view x,
                                            std::size_t parameter_count, const std::vector<NamedTensor>& tensors);

SINTER_COLD std::string add_op(OnnxGraph& graph, const Op& op, const OnnxFunctor& functor,
                               const std::vector<std::string>& x, const std::vector<NamedTensor>& parameters);

SINTER_COLD std::string name_of_part(std::span<const RowPart> parts, std::size_t number, std::string_view kind);
SINTER_COLD void check_name_of_part(std::string_view name, std::string_view kind, std::string_view other);
SINTER_COLD void check_names_of_parts(const OnnxModel& model, const std::vector<NamedTensor>& parameters);
SINTER_COLD void check_floats(const NormalizeColumns& columns);
SINTER_COLD std::string scaled_input(OnnxGraph& graph, std::string x, const RowPart& input, Dims row,
                                     const About& about);
SINTER_COLD std::string row_of_inputs(OnnxGraph& graph, const std::vector<std::string>& inputs,
                                      std::span<const RowPart> parts);
SINTER_COLD int input_taken(const OnnxModel& model, const Op& op);
SINTER_COLD std::vector<int> values_of_outputs(const OnnxModel& model, std::vector<bool>& joins);

SINTER_COLD std::string onnx_text(const OnnxModel& model, const std::vector<NamedTensor>& parameters, ElementType type,
                                  const About& about);

}  // namespace detail

/// Writes a network as an ONNX model, for onnxruntime and others: "input", [batch][input], to "output",
/// [batch][output], any batch, with the parameters inside. Several inputs, and the outputs of Heads, keep their names;
/// those without are "input0", "input1", .. and "output0", "output1", .. `about.columns` and `about.normalize` become
/// its first nodes, so that it takes inputs as they are. Dropout is left out. Fails at an activation that ONNX does not
/// have.
template <class ModelType, class Device, class Precision, class Model>
void export_onnx(const Network<ModelType, Device, Precision, Model>& net, const std::string& path,
                 const About& about = {}) {
  using Ops = Program<Model>;
  static constexpr auto functors = detail::functors_of<Ops>(std::make_index_sequence<Ops::ops.size()>());
  static constexpr auto index_maps = detail::index_maps_of<Ops>(std::make_index_sequence<Ops::ops.size()>());
  const auto& arena = net.to_host();
  write_file(path,
             detail::onnx_text({Ops::ops, functors, index_maps, Ops::parameters.size(), Model::InputLayer::parts,
                                output_parts<Model>, Ops::input, Ops::output, Ops::value_count, Ops::output_value},
                               tensors_on<Model>(arena.data()), element_type_of<typename Precision::Scalar>, about));
}
template <class Path, class Net, class... More>
  requires detail::IsNetwork<Net>
void export_onnx(const Path&, const Net&, const More&...) = delete;  // sinter: export_onnx(net, path)

SINTER_NAMESPACE_END

namespace sinter {
using internal::export_onnx;
}  // namespace sinter

#if SINTER_BODIES
#include "sinter/io/onnx.ipp"
#endif
