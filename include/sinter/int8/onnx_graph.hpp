// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sinter/core/text.hpp"
#include "sinter/int8/fixed_point.hpp"
#include "sinter/io/byte_order.hpp"
#include "sinter/io/named_tensor.hpp"
#include "sinter/io/onnx_graph.hpp"
#include "sinter/io/protobuf.hpp"

SINTER_NAMESPACE_BEGIN

namespace int8 {

/// An ONNX graph of floats between QuantizeLinear and DequantizeLinear. Numbers before the fields are those of
/// onnx.proto.
class OnnxQuantizedGraph {
 public:
  detail::OnnxGraph floats{ElementType::f32};

  /// A named tensor of floats, 8 or 32 bits.
  SINTER_COLD const std::string& tensor(const std::string& name, ElementType type,
                                        const std::vector<std::uint64_t>& shape, std::span<const std::byte> bytes) {
    constexpr int of_f32 = 1, of_u8 = 2, of_i8 = 3, of_i32 = 6;
    detail::Protobuf proto;
    for (const std::uint64_t size : shape) proto.number(1, static_cast<std::int64_t>(size));
    proto.number(2, type == ElementType::u8    ? of_u8
                    : type == ElementType::i8  ? of_i8
                    : type == ElementType::i32 ? of_i32
                                               : of_f32);
    proto.text(8, name);
    std::vector<std::byte> copy;
    bytes = detail::in_file_order(type, bytes, copy);
    proto.text(9, {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    tensors_.message(5, proto);
    names_.push_back(name);
    return name;
  }
  template <class T>
  const std::string& tensor(const std::string& name, const std::vector<std::uint64_t>& shape,
                            const std::vector<T>& numbers) {
    return tensor(name, element_type_of<T>, shape, std::as_bytes(std::span(numbers)));
  }

  /// The scale and the zero point of value v, as names.
  SINTER_COLD void quantization(std::size_t v, const Quantization& q) {
    tensor(joined({"scale", v}), {}, std::vector<float>{q.scale});
    tensor(joined({"zero_point", v}), {}, std::vector<std::uint8_t>{static_cast<std::uint8_t>(q.zero)});
  }
  /// x in the 8 bits of value v.
  SINTER_COLD std::string quantized(std::string_view x, std::size_t v) {
    return floats.node("QuantizeLinear", {x, joined({"scale", v}), joined({"zero_point", v})});
  }
  /// The floats of these 8 bits.
  SINTER_COLD std::string dequantized(std::string_view q, std::size_t v) {
    return floats.node("DequantizeLinear", {q, joined({"scale", v}), joined({"zero_point", v})});
  }
  /// The floats of numbers whose first dimension has a scale each, without zero points.
  template <class T>
  std::string dequantized_rows(const std::string& name, const std::vector<std::uint64_t>& shape,
                               const std::vector<T>& numbers, const std::vector<float>& scales) {
    const std::vector<std::uint64_t> rows{scales.size()};
    tensor(name, shape, numbers);
    tensor(joined({name, "_scale"}), rows, scales);
    tensor(joined({name, "_zero_point"}), rows, std::vector<T>(scales.size()));
    return floats.node("DequantizeLinear", {name, joined({name, "_scale"}), joined({name, "_zero_point"})},
                       {{"axis", {0}, 0, true}});
  }

  /// The names of its tensors.
  const std::vector<std::string>& names() const { return names_; }
  /// The message: fields of two parts of one message, one after another, are those of both.
  SINTER_COLD std::string finish(std::string_view name) { return tensors_.bytes() + floats.finish(name).bytes(); }

 private:
  detail::Protobuf tensors_;
  std::vector<std::string> names_;
};

}  // namespace int8

SINTER_NAMESPACE_END
