// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "sinter/core/error.hpp"
#include "sinter/core/macros.hpp"
#include "sinter/core/shape.hpp"
#include "sinter/fn/onnx_functor.hpp"
#include "sinter/io/named_tensor.hpp"
#include "sinter/io/protobuf.hpp"
#include "sinter/ops/op.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {

/// A node's attribute: whole numbers, one fraction, or a text.
struct OnnxAttribute {
  std::string_view name;
  std::vector<std::int64_t> numbers{};
  double fraction = 0;
  bool single = false;
  std::string_view text{};
};

/// The graph of an ONNX model, built node by node. Numbers before the fields are those of onnx.proto.
class OnnxGraph {
 public:
  explicit OnnxGraph(ElementType type) : type_(type) {}

  /// Adds a node, and returns the name of its output; if it has several, of that with a number.
  SINTER_COLD std::string node(std::string_view op, std::initializer_list<std::string_view> inputs,
                               const std::vector<OnnxAttribute>& attributes = {});
  SINTER_COLD std::string node_on(std::string_view op, const std::vector<std::string_view>& inputs,
                                  const std::vector<OnnxAttribute>& attributes = {}, int output_number = 0);
  SINTER_COLD void parameter(const NamedTensor& tensor);
  /// A single number, or a list of sizes; their names.
  SINTER_COLD std::string constant(double value);
  SINTER_COLD std::string sizes(const std::vector<std::int64_t>& values);
  /// A single row of whole numbers.
  SINTER_COLD std::string row(const std::vector<std::int64_t>& values);
  /// Numbers, in their order.
  SINTER_COLD std::string numbers(const std::vector<double>& wide, const std::vector<std::uint64_t>& shape);
  /// Numbers that ONNX requires as floats in any model.
  SINTER_COLD std::string floats(const std::vector<float>& values);
  /// The same number, repeated.
  SINTER_COLD std::string same(int count, double value);
  /// y = f(x); a function without an ONNX operator is composed of several.
  SINTER_COLD std::string functor(const OnnxFunctor& f, std::string_view x, const char* name);
  /// Normalises each group of the channels of x by the operator for single channels, then applies the weight and bias,
  /// whose names are empty if there are none.
  SINTER_COLD std::string group_normalization(const Op& op, std::string_view x, std::string_view weight,
                                              std::string_view bias);
  /// The cell of a recurrence over all steps of x[0]; the names of `parameters` are those of both directions in order.
  SINTER_COLD std::string recurrence(const Op& op, const std::vector<std::string>& x,
                                     const std::vector<std::string>& parameters);
  /// The same numbers in another shape.
  SINTER_COLD std::string shaped(std::string_view x, Dims from, Dims to);
  /// One pixel, everywhere in an image or a series.
  SINTER_COLD std::string spread(std::string_view x, Dims to);
  /// Rows of any number, and their name.
  SINTER_COLD void value_info(unsigned field, std::string_view name, Dims dims);
  /// The same values under the name of the graph's output.
  SINTER_COLD void output(std::string_view x, std::string_view name);
  Protobuf finish(std::string_view name);

 private:
  int data_type() const { return type_ == ElementType::f64 ? 11 : 1; }
  static Protobuf encoded(const OnnxAttribute& attribute);

  ElementType type_;
  Protobuf graph_;
  std::size_t nodes_ = 0, constants_ = 0;
};

}  // namespace detail

SINTER_NAMESPACE_END

#if SINTER_BODIES
#include "sinter/io/onnx_graph.ipp"
#endif
