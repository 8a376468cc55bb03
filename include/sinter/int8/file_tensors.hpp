// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sinter/core/error.hpp"
#include "sinter/core/number_text.hpp"
#include "sinter/core/text.hpp"
#include "sinter/int8/facts.hpp"
#include "sinter/int8/named_products.hpp"
#include "sinter/io/byte_order.hpp"
#include "sinter/io/crc32c.hpp"
#include "sinter/io/named_tensor.hpp"
#include "sinter/io/weights.hpp"

SINTER_NAMESPACE_BEGIN

namespace int8 {

/// The constants of a quantized network as the tensors of a file: of each product the weight in the order of the float
/// network, its scales and its bias; the quantization of each value; what shifts and limits the results of each op; the
/// tables of activations. They do not depend on the instructions that the network was compiled for.
class FileTensors {
 public:
  /// Zeros in the shapes of a model.
  SINTER_COLD explicit FileTensors(const ModelFacts& model) : model_(model), products_(named_products(model)) {
    using enum ElementType;
    const auto add = [&](std::string name, ElementType type, std::vector<std::uint64_t> shape) {
      std::uint64_t bytes = 0;
      bytes_of(type, shape, bytes);
      tensors_.push_back(
          {std::move(name), type, std::move(shape), std::vector<std::byte>(static_cast<std::size_t>(bytes))});
    };
    for (const NamedProduct& p : products_) {
      const auto rows = static_cast<std::uint64_t>(p.rows);
      add(p.weight, i8, p.shape);
      add(joined({p.weight, "_scale"}), f64, {rows});
      add(p.bias, i32, {rows});
    }
    add("values.scale", f32, {model.scale_of.size()});
    add("values.zero_point", u8, {model.scale_of.size()});
    for (const char* const name : {"ops.shift", "ops.first", "ops.second"}) add(name, i32, {model.ops.size()});
    for (const char* const name : {"ops.low", "ops.high"}) add(name, u8, {model.ops.size()});
    if (model.table_bytes > 0) add("tables", u8, {model.table_bytes / 256, 256});
  }

  /// Takes the constants of a network.
  SINTER_COLD void store(const Constants& from) {
    for (std::size_t i = 0; i < products_.size(); ++i) {
      const ProductNumbers p = numbers_of(model_, products_[i], from);
      std::copy(p.weight.begin(), p.weight.end(), numbers<std::int8_t>(3 * i).begin());
      std::copy(p.scale.begin(), p.scale.end(), numbers<double>(3 * i + 1).begin());
      std::copy(p.bias.begin(), p.bias.end(), numbers<std::int32_t>(3 * i + 2).begin());
    }
    for (std::size_t v = 0; v < from.values.size(); ++v) {
      numbers<float>(of_values)[v] = from.values[v].scale;
      numbers<std::uint8_t>(of_values + 1)[v] = static_cast<std::uint8_t>(from.values[v].zero);
    }
    for (std::size_t i = 0; i < from.ops.size(); ++i) {
      const OpNumbers& op = from.ops[i];
      const std::int32_t wide[]{op.rescale.shift, op.first, op.second};
      for (std::size_t k = 0; k < 3; ++k) numbers<std::int32_t>(of_ops + k)[i] = wide[k];
      numbers<std::uint8_t>(of_ops + 3)[i] = static_cast<std::uint8_t>(op.rescale.low);
      numbers<std::uint8_t>(of_ops + 4)[i] = static_cast<std::uint8_t>(op.rescale.high);
    }
    if (!from.tables.empty()) std::ranges::copy(from.tables, numbers<std::uint8_t>(of_ops + 5).begin());
  }
  std::vector<NamedTensor> named() const {
    std::vector<NamedTensor> all;
    for (const Tensor& one : tensors_) all.push_back({one.name, one.type, one.shape, one.bytes});
    return all;
  }
  /// Of all numbers in the order of these tensors.
  SINTER_COLD std::uint32_t checksum() const {
    std::string all;
    std::vector<std::byte> copy;
    for (const Tensor& one : tensors_) {
      const auto bytes = detail::in_file_order(one.type, one.bytes, copy);
      all.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    }
    return detail::crc32c(all);
  }

  /// Takes the tensors of a file; fails unless they are those of the model, by name, type and shape.
  SINTER_COLD void take(const std::vector<NamedTensor>& from, std::string_view file) {
    const auto find = [](auto& list, const std::string& name) {
      return std::find_if(list.begin(), list.end(), [&](const auto& one) { return one.name == name; });
    };
    Matched found;
    for (Tensor& to : tensors_) {
      const auto given = find(from, to.name);
      if (given == from.end())
        found.missing.push_back(joined({to.name, " ", shape_text(to.shape)}));
      else if (given->type != to.type || given->shape != to.shape)
        found.unlike.push_back(joined({to.name, " of ", name_of(given->type), " ", shape_text(given->shape),
                                       ", expected ", name_of(to.type), " ", shape_text(to.shape)}));
      else
        std::ranges::copy(given->bytes, to.bytes.begin());
    }
    for (const NamedTensor& given : from)
      if (find(tensors_, given.name) == tensors_.end())
        found.unexpected.push_back(joined({given.name, " ", shape_text(given.shape)}));
    if (const std::string problem = found.problem(); !problem.empty())
      fail(joined({file, " does not fit the model: ", problem, "; save the quantized network again"}));
  }
  /// The constants of these tensors. Fails at numbers that no quantized network has: with them sums would overflow.
  SINTER_COLD void restore(const WritableConstants& to, std::string_view file) const {
    for (std::size_t v = 0; v < to.values.size(); ++v) {
      to.values[v].scale = numbers<float>(of_values)[v];
      to.values[v].zero = numbers<std::uint8_t>(of_values + 1)[v];
      check(of_values, static_cast<double>(to.values[v].scale),
            static_cast<double>(std::numeric_limits<float>::denorm_min()),
            static_cast<double>(std::numeric_limits<float>::max()), file);
    }
    for (std::size_t i = 0; i < to.ops.size(); ++i) restore_op(i, to, file);
    for (std::size_t i = 0; i < products_.size(); ++i) restore_product(i, to, file);
    if (!to.tables.empty()) std::ranges::copy(numbers<std::uint8_t>(of_ops + 5), to.tables.begin());
  }

 private:
  struct Tensor {
    std::string name;
    ElementType type;
    std::vector<std::uint64_t> shape;
    std::vector<std::byte> bytes;
  };

  template <class T>
  std::span<T> numbers(std::size_t tensor) {
    std::vector<std::byte>& bytes = tensors_[tensor].bytes;
    return {reinterpret_cast<T*>(bytes.data()), bytes.size() / sizeof(T)};
  }
  template <class T>
  std::span<const T> numbers(std::size_t tensor) const {
    const std::vector<std::byte>& bytes = tensors_[tensor].bytes;
    return {reinterpret_cast<const T*>(bytes.data()), bytes.size() / sizeof(T)};
  }
  void check(std::size_t tensor, double given, double low, double high, std::string_view file) const {
    if (given >= low && given <= high) return;
    fail(joined({file, " holds ", exact_text(given), " in \"", tensors_[tensor].name, "\", expected ", exact_text(low),
                 " to ", exact_text(high), "; it was changed: save the quantized network again"}));
  }
  void restore_op(std::size_t i, const WritableConstants& to, std::string_view file) const {
    const Role role = model_.ops[i].role;
    const bool product = role == Role::product || role == Role::depthwise;
    OpNumbers& op = to.ops[i];
    op.rescale.shift = numbers<std::int32_t>(of_ops)[i];
    op.first = numbers<std::int32_t>(of_ops + 1)[i];
    op.second = numbers<std::int32_t>(of_ops + 2)[i];
    op.rescale.low = numbers<std::uint8_t>(of_ops + 3)[i];
    op.rescale.high = numbers<std::uint8_t>(of_ops + 4)[i];
    if (role == Role::none || role == Role::row) return;  // computes nothing in 8 bits
    check(of_ops + 3, op.rescale.low, 0, op.rescale.high, file);
    if (!shifts(role)) return;
    op.rescale.zero = to.values[model_.scale_of[static_cast<std::size_t>(model_.ops[i].target)]].zero;
    check(of_ops, op.rescale.shift, product ? Rescale::least_shift : 1,
          product             ? Rescale::most_shift
          : role == Role::add ? most_short_shift
                              : most_long_shift,
          file);
    for (std::size_t k = 1; k <= 2; ++k)
      check(of_ops + k, k == 1 ? op.first : op.second, 0, (1 << small_bits) - 1, file);
  }
  void restore_product(std::size_t i, const WritableConstants& to, std::string_view file) const {
    const NamedProduct& p = products_[i];
    const auto& of = model_.ops[p.op];
    const Quantization& in = to.values[model_.scale_of[static_cast<std::size_t>(of.op.inputs[0])]];
    const Quantization& out = to.values[model_.scale_of[static_cast<std::size_t>(of.target)]];
    const auto weight = numbers<std::int8_t>(3 * i);
    for (int row = 0; row < p.rows; ++row) {
      std::int32_t sum = 0;
      for (int column = 0; column < p.columns; ++column) {
        const std::int8_t q = weight[static_cast<std::size_t>(row * p.columns + column)];
        check(3 * i, q, -127, 127, file);
        to.weights[of.weight_place(row, column)] = q;
        sum += q;
      }
      const double scale = numbers<double>(3 * i + 1)[static_cast<std::size_t>(row)];
      const int shift = to.ops[p.op].rescale.shift;
      check(3 * i + 1, scale, 0, scale_of(std::numeric_limits<std::int32_t>::max(), in, out, shift), file);
      const std::int32_t bias = numbers<std::int32_t>(3 * i + 2)[static_cast<std::size_t>(row)];
      check(3 * i + 2, bias, -most_bias, most_bias, file);
      const std::size_t at = of.number_place(row);
      to.numbers[at] = bias - in.zero * sum;
      to.numbers[at + static_cast<std::size_t>(of.place.outputs)] = multiplier_of(scale, in, out, shift);
    }
  }

  const ModelFacts& model_;
  std::vector<NamedProduct> products_;
  std::vector<Tensor> tensors_;
  std::size_t of_values = 3 * products_.size(), of_ops = of_values + 2;
};

}  // namespace int8

SINTER_NAMESPACE_END
