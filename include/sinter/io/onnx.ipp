// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <limits>
#include <utility>

#include "sinter/core/text.hpp"
#include "sinter/io/onnx.hpp"
#include "sinter/io/weights.hpp"
#include "sinter/ops/matrix_product.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {

SINTER_FUNCTION std::vector<OnnxAttribute> window_attributes(const Op& op) {
  const Window& w = op.window;
  const int right = w.causal ? 0 : w.padding_width;
  std::vector<OnnxAttribute> all{{"kernel_shape", {w.height, w.width}},
                                 {"strides", {w.stride_height, w.stride_width}},
                                 {"pads", {w.padding_height, w.padding_width, w.padding_height, right}}};
  if (op.kind == OpKind::product || !op.average) all.push_back({"dilations", {w.dilation_height, w.dilation_width}});
  if (op.in.rank == 2)  // a series has one axis: of two sizes the second counts, of four the second and the fourth
    for (OnnxAttribute& attribute : all)
      for (std::size_t i = 0; i < attribute.numbers.size(); ++i)
        attribute.numbers.erase(attribute.numbers.begin() + static_cast<std::ptrdiff_t>(i));
  if (op.kind == OpKind::product) all.push_back({"group", {w.groups}, 0, true});
  if (op.transposed)
    all.push_back({"output_padding",
                   {op.out.height - (op.in.height - 1) * w.stride_height - w.reach_height() + 2 * w.padding_height,
                    op.out.width - (op.in.width - 1) * w.stride_width - w.reach_width() + 2 * w.padding_width}});
  if (op.kind == OpKind::pool && op.average) all.push_back({"count_include_pad", {1}, 0, true});
  return all;
}

SINTER_FUNCTION std::string batch_normalization(OnnxGraph& graph, const Op& op, const Op& statistics,
                                                std::string_view x, std::size_t parameter_count,
                                                const std::vector<NamedTensor>& tensors) {
  const auto named = [&](int parameter, double otherwise) {
    return parameter < 0 ? graph.same(op.in.channels, otherwise) : tensors[static_cast<std::size_t>(parameter)].name;
  };
  const auto buffer = [&](int number) {
    return std::string_view(tensors[parameter_count + static_cast<std::size_t>(number)].name);
  };
  const std::string weight = named(op.weight, 1), bias = named(op.bias, 0);
  return graph.node("BatchNormalization", {x, weight, bias, buffer(statistics.mean), buffer(statistics.variance)},
                    {{"epsilon", {}, statistics.epsilon}});
}

SINTER_FUNCTION std::string matrix_product(OnnxGraph& graph, const Op& op, const std::vector<std::string>& x) {
  const std::vector<std::int64_t> exchanged =
      op.in.rank == 2 ? std::vector<std::int64_t>{0, 2, 1} : std::vector<std::int64_t>{0, 1, 3, 2};
  const auto transposed = [&](const std::string& of, bool yes) {
    return yes ? graph.node("Transpose", {of}, {{"perm", exchanged}}) : of;
  };
  std::string y = graph.node("MatMul", {transposed(x[0], op.first_transposed), transposed(x[1], op.second_transposed)});
  if (op.factor != 1) y = graph.node("Mul", {y, graph.constant(op.factor)});
  const MatrixTerms terms = MatrixTerms::forward(op);
  if (op.causal) {
    std::vector<double> mask;
    for (int m = 0; m < terms.rows; ++m)
      for (int n = 0; n < terms.columns; ++n)
        mask.push_back(n < MatrixTerms::first_masked(m) ? 0 : -std::numeric_limits<double>::infinity());
    y = graph.node(
        "Add",
        {y, graph.numbers(mask, {static_cast<std::uint64_t>(terms.rows), static_cast<std::uint64_t>(terms.columns)})});
  }
  const Dims made =
      op.in.rank == 2 ? series(terms.rows, terms.columns) : image(op.in.channels, terms.rows, terms.columns);
  return graph.shaped(y, made, op.out);
}

SINTER_FUNCTION std::string add_op(OnnxGraph& graph, const Op& op, const OnnxFunctor& functor,
                                   const std::vector<std::string>& x, const std::vector<NamedTensor>& parameters) {
  std::vector<std::string_view> inputs(x.begin(), x.end());
  if (op.kind == OpKind::product && op.per_channel) {
    std::vector<std::int64_t> shape(static_cast<std::size_t>(op.in.rank), 1);
    shape[0] = op.in.channels;
    const auto along_channels = [&](int parameter) {
      const std::string_view name = parameters[static_cast<std::size_t>(parameter)].name;
      return op.in.rank == 1 ? std::string(name) : graph.node("Reshape", {name, graph.sizes(shape)});
    };
    const std::string y = graph.node("Mul", {x[0], along_channels(op.weight)});
    return op.with_bias ? graph.node("Add", {y, along_channels(op.bias)}) : y;
  }
  if (op.kind == OpKind::product) {
    const NamedTensor& weight = parameters[static_cast<std::size_t>(op.weight)];
    // The weight of a product at each place has no window, and that of a PositionEmbedding is a table.
    const bool of_places = !op.whole && weight.shape.size() == 2,
               table = op.whole && weight.shape[1] != static_cast<std::uint64_t>(op.in.size());
    std::string shaped;
    if (of_places) shaped = graph.node("Reshape", {weight.name, graph.sizes({op.out.channels, op.in.channels, 1})});
    if (table) shaped = graph.node("Reshape", {weight.name, graph.sizes({op.out.size(), op.in.size()})});
    inputs.push_back(of_places || table ? std::string_view(shaped) : std::string_view(weight.name));
    if (op.with_bias) inputs.push_back(parameters[static_cast<std::size_t>(op.bias)].name);
    return op.whole ? graph.node_on("Gemm", inputs, {{"transB", {1}, 0, true}})
                    : graph.node_on(op.transposed ? "ConvTranspose" : "Conv", inputs, window_attributes(op));
  }
  switch (op.kind) {
    case OpKind::map:
      if (op.of_position) {
        const auto size = [](int n) { return static_cast<std::uint64_t>(n); };
        const std::vector<double> numbers(functor.numbers.begin(), functor.numbers.end());
        return graph.node(functor.name, {x[0], graph.numbers(numbers, {size(op.in.channels), size(op.in.width)})});
      }
      return graph.functor(functor, x[0], op.name);
    case OpKind::row:
      return graph.functor(functor, x[0], op.name);
    case OpKind::mask:  // dropout: nothing, in inference
      return x[0];
    case OpKind::pool:
      if (op.uneven() && op.in.size() == op.in.channels)  // each window is the one pixel
        return graph.spread(x[0], op.out);
      if (op.uneven())
        fail(joined({"ONNX has no ", op.name, " whose windows differ in size; let its adaptive pool divide its ",
                     op.in.rank == 2 ? "series" : "images"}));
      return graph.node_on(op.average ? "AveragePool" : "MaxPool", inputs, window_attributes(op));
    case OpKind::add:
      return graph.node_on("Add", inputs);
    case OpKind::group_normalize: {
      const auto name = [&](int parameter) {
        return parameter < 0 ? std::string_view()
                             : std::string_view(parameters[static_cast<std::size_t>(parameter)].name);
      };
      return graph.group_normalization(op, x[0], name(op.weight), name(op.bias));
    }
    case OpKind::matrix_product:
      return matrix_product(graph, op, x);
    case OpKind::elementwise:
      return graph.node_on(op.onnx, inputs);
    case OpKind::lookup: {
      const std::string table(parameters[static_cast<std::size_t>(op.weight)].name);
      const std::string rows = graph.node("Cast", {x[0]}, {{"to", {7}, 0, true}});  // int64
      const std::string y = graph.node("Gather", {table, rows}, {{"axis", {0}, 0, true}});
      return op.transposed ? graph.node("Transpose", {y}, {{"perm", {0, 2, 1}}}) : y;
    }
    case OpKind::recurrence: {
      if (op.projected > 0)
        fail(
            "ONNX has no LSTM with a projection; leave out ProjectionSize, and put a PositionwiseLinear after the "
            "layer");
      std::vector<std::string> names;
      for (int i = 0; i < op.directions * op.parameters_of_direction(); ++i)
        names.push_back(parameters[static_cast<std::size_t>(op.weight + i)].name);
      return graph.recurrence(op, x, names);
    }
    case OpKind::concat:
      return graph.node_on("Concat", inputs, {{"axis", {1}, 0, true}});
    default:
      fail(joined({"the export to ONNX does not know the op \"", op.name, "\"; leave out the layer that makes it"}));
  }
}

/// The kind, "input" or "output", or the name that one of several has, else "input0", ..
SINTER_FUNCTION std::string name_of_part(std::span<const RowPart> parts, std::size_t number, std::string_view kind) {
  if (!parts[number].name.empty()) return std::string(parts[number].name);
  return parts.size() == 1 ? std::string(kind) : joined({kind, number});
}
/// Fails where an input or output (the kind) has a name that the graph has already: that of another value, or of values
/// that the graph names itself.
SINTER_FUNCTION void check_name_of_part(std::string_view name, std::string_view kind, std::string_view other) {
  bool taken = name == other;
  for (const std::string_view own : {"value", "constant"})
    taken = taken || (name.size() > own.size() && name.starts_with(own) &&
                      name.find_first_not_of("0123456789", own.size()) == name.npos);
  if (taken)
    fail(joined({"an ONNX file has a value \"", name, "\" of its own; give the ", kind, " of that name another one"}));
}
/// The same of all inputs and outputs, also with each other.
SINTER_FUNCTION void check_names_of_parts(const OnnxModel& model, const std::vector<NamedTensor>& parameters) {
  std::vector<std::string> others;
  for (const auto& parameter : parameters) others.emplace_back(parameter.name);
  const auto check = [&](std::span<const RowPart> parts, std::string_view kind) {
    for (std::size_t i = 0; i < parts.size(); ++i) {
      std::string name = name_of_part(parts, i, kind);
      if (!is_valid_utf8(name) || name.find('\0') != name.npos)
        fail(joined(
            {"the name of ", kind, " ", i, " is not text in UTF-8 without zeros, as ONNX has; give it another one"}));
      for (const std::string& other : others) check_name_of_part(name, kind, other);
      others.push_back(std::move(name));
    }
  };
  check(model.outputs, "output");
  check(model.inputs, "input");
}
/// Fails if a mean or a deviation, a double, is none of the floats that the file has.
SINTER_FUNCTION void check_floats(const NormalizeColumns& columns) {
  using Limits = std::numeric_limits<float>;
  constexpr double most = Limits::max(), least = Limits::min();
  for (std::size_t i = 0; i < columns.mean.size(); ++i)
    if (const double mean = columns.mean[i], deviation = columns.deviation[i];
        mean < -most || mean > most || deviation > most || deviation < least)
      fail(joined({"column ", i, " is scaled by the mean ", exact_text(mean), " and the deviation ",
                   exact_text(deviation),
                   ", and an ONNX file has them as floats, which do not reach so far; train with "
                   "numbers of another unit"}));
}
/// The numbers of an input, as the first layer gets them; `row` are the dimensions of all.
SINTER_FUNCTION std::string scaled_input(OnnxGraph& graph, std::string x, const RowPart& input, Dims row,
                                         const About& about) {
  if (about.columns) {  // and a missing number, NaN, becomes 0
    about.columns->check(static_cast<std::size_t>(row.channels));
    check_floats(*about.columns);
    const bool each = input.dims != row;  // of several inputs: of each number
    std::vector<std::uint64_t> shape{static_cast<std::uint64_t>(input.dims.channels)};
    if (input.dims.rank == 3) shape.push_back(each ? static_cast<std::uint64_t>(input.dims.height) : 1);
    if (input.dims.rank >= 2) shape.push_back(each ? static_cast<std::uint64_t>(input.dims.width) : 1);
    const auto own = [&](const std::vector<double>& all) {
      const auto first = all.begin() + (each ? input.first : 0);
      return graph.numbers({first, first + (each ? input.dims.size() : row.channels)}, shape);
    };
    const std::string apart = graph.node("Sub", {x, own(about.columns->mean)});
    const std::string scaled = graph.node("Div", {apart, own(about.columns->deviation)});
    x = graph.node("Where", {graph.node("IsNaN", {scaled}), graph.constant(0), scaled});
  }
  if (about.normalize)
    x = graph.node("Add", {graph.node("Mul", {x, graph.constant(double{about.normalize->scale})}),
                           graph.constant(double{about.normalize->shift})});
  return x;
}
/// The input of a model, of several those as one row.
SINTER_FUNCTION std::string row_of_inputs(OnnxGraph& graph, const std::vector<std::string>& inputs,
                                          std::span<const RowPart> parts) {
  if (inputs.size() == 1) return inputs[0];
  std::vector<std::string> rows;
  for (std::size_t i = 0; i < inputs.size(); ++i)
    rows.push_back(graph.shaped(inputs[i], parts[i].dims, features(parts[i].dims.size())));
  return graph.node_on("Concat", {rows.begin(), rows.end()}, {{"axis", {1}, 0, true}});
}
/// The number of the input that an op takes from the row of several; of other ops -1.
SINTER_FUNCTION int input_taken(const OnnxModel& model, const Op& op) {
  if (op.kind == OpKind::index_map && op.inputs[0] == 0 && op.begin >= 0 && model.inputs.size() > 1)
    for (std::size_t i = 0; i < model.inputs.size(); ++i)
      if (model.inputs[i].first == op.begin && model.inputs[i].dims == op.out) return static_cast<int>(i);
  return -1;
}

/// The value of each output: of the network's, or of its heads, which its last ops put together. `joins` takes which.
SINTER_FUNCTION std::vector<int> values_of_outputs(const OnnxModel& model, std::vector<bool>& joins) {
  std::vector<int> values{model.output_value};
  while (values.size() < model.outputs.size()) {
    std::size_t last = model.ops.size() - 1;
    while (model.ops[last].output != values.front()) --last;
    const Op& op = model.ops[last];
    joins[last] = true;
    values.front() = op.inputs[0];
    values.insert(values.begin() + 1, op.inputs + 1, op.inputs + op.input_count);
  }
  return values;
}

SINTER_FUNCTION std::string onnx_text(const OnnxModel& model, const std::vector<NamedTensor>& parameters,
                                      ElementType type, const About& about) {
  if (const std::string found = wrong_numbers_in(parameters, "the network that was to be exported"); !found.empty())
    fail(found + "; train it again from weights that have none");
  if (about.normalize) about.normalize->check();
  OnnxGraph graph(type);
  for (const auto& parameter : parameters) graph.parameter(parameter);
  check_names_of_parts(model, parameters);
  for (std::size_t i = 0; i < model.outputs.size(); ++i)
    graph.value_info(12, name_of_part(model.outputs, i, "output"), model.outputs[i].dims);

  std::vector<std::string> inputs;
  for (std::size_t i = 0; i < model.inputs.size(); ++i) {
    const std::string name = name_of_part(model.inputs, i, "input");
    graph.value_info(11, name, model.inputs[i].dims);
    inputs.push_back(scaled_input(graph, name, model.inputs[i], model.input, about));
  }
  std::vector<std::string> names(static_cast<std::size_t>(model.value_count));
  std::vector<Dims> dims(names.size());
  dims[0] = model.input;
  const auto name_of = [&](std::size_t value) -> const std::string& {
    if (names[value].empty()) names[value] = row_of_inputs(graph, inputs, model.inputs);  // value 0, where it is read
    return names[value];
  };
  std::vector<bool> joins(model.ops.size());
  const std::vector<int> outputs = values_of_outputs(model, joins);
  for (std::size_t i = 0; i < model.ops.size(); ++i) {
    const Op& op = model.ops[i];
    // No nodes: readers of statistics refer to their buffers, and heads are apart.
    if (op.kind == OpKind::statistics || joins[i]) continue;
    const auto output = static_cast<std::size_t>(op.output);
    dims[output] = op.out;
    if (const int input = input_taken(model, op); input >= 0) {
      names[output] = inputs[static_cast<std::size_t>(input)];
      continue;
    }
    std::vector<std::string> x;
    for (int k = 0; k < (op.kind == OpKind::normalize ? 1 : op.input_count); ++k) {
      const auto value = static_cast<std::size_t>(op.inputs[k]);
      x.push_back(graph.shaped(name_of(value), dims[value], op.seen(k)));
    }
    if (op.kind == OpKind::normalize) {
      std::size_t statistics = 0;
      while (model.ops[statistics].output != op.inputs[1]) ++statistics;
      names[output] = batch_normalization(graph, op, model.ops[statistics], x[0], model.parameter_count, parameters);
    } else if (op.kind == OpKind::index_map) {
      names[output] = index_map_nodes(graph, model.index_maps[i], x[0], op.in);
    } else {
      names[output] = add_op(graph, op, model.functors[i], x, parameters);
    }
  }
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const auto value = static_cast<std::size_t>(outputs[i]);
    graph.output(graph.shaped(name_of(value), dims[value], model.outputs[i].dims),
                 name_of_part(model.outputs, i, "output"));
  }

  Protobuf file, opset;
  file.number(1, 8);  // the version of the format, which is that of ONNX 1.10 to 1.12
  file.text(2, "sinter");
  file.text(3, joined({unsigned{SINTER_VERSION_MAJOR}, ".", unsigned{SINTER_VERSION_MINOR}, ".",
                       unsigned{SINTER_VERSION_PATCH}}));
  file.message(7, graph.finish("network"));
  opset.text(1, "");
  opset.number(2, 14);
  file.message(8, opset);
  About rest = about;  // the scaling is in the graph
  rest.normalize.reset();
  rest.columns.reset();
  for (const auto& [key, text] : metadata_of(rest, "")) {
    if (key == key_of_pytorch || key == key_format) continue;
    Protobuf entry;
    entry.text(1, key);
    entry.text(2, text);
    file.message(14, entry);
  }
  return file.bytes();
}

}  // namespace detail

SINTER_NAMESPACE_END
