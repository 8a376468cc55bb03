// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "sinter/core/error.hpp"
#include "sinter/fn/apply.hpp"
#include "sinter/int8/weights.hpp"
#include "sinter/model/program.hpp"

SINTER_NAMESPACE_BEGIN

namespace int8 {

/// Makes the constants of a quantized network of its parameters and the quantizations of its values.
template <class Model>
class Packer {
  using Ops = Program<Model>;
  static constexpr std::size_t at(int i) { return static_cast<std::size_t>(i); }

 public:
  Packer(const double* parameters, Weights<Model>& to) : parameters_(parameters), to_(to) {}

  void pack() {
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      (pack_op<I>(), ...);
    }(std::make_index_sequence<at(Ops::op_count)>{});
  }

 private:
  const double* find(int parameter) const {
    return parameter < 0 ? nullptr : parameters_ + Ops::parameters[at(parameter)].offset;
  }
  const double* find_buffer(int buffer) const { return parameters_ + Ops::buffers[at(buffer)].offset; }

  /// y = factor x + shift, by output channel: what a batch normalisation does in inference.
  struct Affine {
    std::vector<double> factor, shift;
  };
  Affine affine_of(int normalize) const {
    const Op& op = Ops::ops[at(normalize)];
    const Op& statistics = Ops::ops[at(Ops::values[at(op.inputs[1])].producer)];
    const double *mean = find_buffer(statistics.mean), *variance = find_buffer(statistics.variance),
                 *weight = find(op.weight), *bias = find(op.bias);
    Affine all;
    for (int c = 0; c < op.in.channels; ++c) {
      const double factor = (weight ? weight[c] : 1) / std::sqrt(variance[c] + statistics.epsilon);
      all.factor.push_back(factor);
      all.shift.push_back((bias ? bias[c] : 0) - mean[c] * factor);
    }
    return all;
  }

  /// The weights of a product, row by row, and its bias, with the normalisation after it; or a normalisation alone.
  struct Product {
    std::vector<double> weight, bias;
    int rows = 0, columns = 0;
  };
  Product product_of(std::size_t index) const {
    const Op& op = Ops::ops[index];
    Product p;
    p.rows = op.out.channels;
    p.columns = op.per_channel || op.kind == OpKind::normalize ? 1 : op.fan_in();
    if (op.kind == OpKind::normalize) {
      Affine affine = affine_of(static_cast<int>(index));
      p.weight = std::move(affine.factor);
      p.bias = std::move(affine.shift);
    } else {
      const double *w = find(op.weight), *b = find(op.bias);
      p.weight.assign(w, w + p.rows * p.columns);
      p.bias.assign(at(p.rows), 0);
      if (b) p.bias.assign(b, b + p.rows);
    }
    if (const int normalize = Plan<Model>::ops[index].normalize; normalize >= 0) {
      const Affine affine = affine_of(normalize);
      for (int r = 0; r < p.rows; ++r) {
        for (int k = 0; k < p.columns; ++k) p.weight[at(r * p.columns + k)] *= affine.factor[at(r)];
        p.bias[at(r)] = p.bias[at(r)] * affine.factor[at(r)] + affine.shift[at(r)];
      }
    }
    for (const std::vector<double>* numbers : {&p.weight, &p.bias})
      for (const double one : *numbers)
        if (!(one - one == 0)) fail("quantize was given a network with a weight that is not finite; train it anew");
    return p;
  }
  /// The step of a row of weights: its largest number is 127 of them, and its bias, in steps of the sums, fits. 0 where
  /// all are 0.
  static double step_of(const Product& p, int row, double input_step) {
    double largest = std::abs(p.bias[at(row)]) / input_step / most_bias * 127;
    for (int k = 0; k < p.columns; ++k) largest = std::max(largest, std::abs(p.weight[at(row * p.columns + k)]));
    return largest / 127;
  }
  static double nearest(double x) { return std::floor(x + 0.5); }
  static double steps(double x, double step) { return step > 0 ? nearest(x / step) : 0; }

  /// Weights in 8 bits, what sums begin with, and multipliers.
  void pack_product(std::size_t index) {
    const Product p = product_of(index);
    const Op& op = Ops::ops[index];
    const Role role = Plan<Model>::ops[index].role;
    const Place place = Layout<Model>::of(index);
    const Order read = Plan<Model>::values[at(op.inputs[0])].order;
    const Quantization& in = to_.of(op.inputs[0]);
    Quantization& out = to_.values[at(Plan<Model>::values[at(Plan<Model>::ops[index].target)].scale)];
    const double input_step = static_cast<double>(in.scale), output_step = static_cast<double>(out.scale);
    std::vector<double> factors(at(p.rows));
    for (int r = 0; r < p.rows; ++r) factors[at(r)] = step_of(p, r, input_step) * input_step / output_step;
    const double largest = *std::max_element(factors.begin(), factors.end());
    if (largest >= 0.5) {  // a step of the output is two of its sums at least
      out.scale = static_cast<float>(2.01 * largest * output_step);
      for (double& factor : factors) factor *= output_step / static_cast<double>(out.scale);
    }
    Rescale& rescale = to_.ops[index].rescale;
    rescale.shift = shift_for(std::min(largest, 0.499), Rescale::bits, Rescale::most_shift);
    for (int r = 0; r < p.rows; ++r) {
      const double step = step_of(p, r, input_step);
      int sum = 0;
      for (int k = 0; k < p.columns; ++k) {
        const auto q = static_cast<std::int8_t>(steps(p.weight[at(r * p.columns + k)], step));
        to_.weights.data()[weight_place(op, role, place, read, r, k)] = q;
        sum += q;
      }
      std::int32_t* const number = to_.numbers.data() + number_place(op, role, place, r);
      number[0] = static_cast<std::int32_t>(steps(p.bias[at(r)], step * input_step)) - in.zero * sum;
      number[place.outputs] = multiplier_for(factors[at(r)], rescale.shift, Rescale::bits);
    }
  }
  /// The 8 bits of y(x) for all 256 of x, input k of an op.
  template <std::size_t I, class Function>
  void pack_table(int k, const Function& y) {
    const Quantization &in = to_.of(Ops::ops[I].inputs[k]), &out = to_.of(Ops::ops[I].output);
    std::uint8_t* const table = to_.tables.data() + Layout<Model>::of(I).table + 256 * k;
    for (int q = 0; q < 256; ++q)
      table[q] = out.nearest(Plan<Model>::ops[I].limits.of(y(static_cast<double>(in.scale) * (q - in.zero))));
  }
  static void set(OpNumbers& op, double first, double second, int most_shift) {
    op.rescale.shift = shift_for(std::max(first, second), small_bits, most_shift);
    op.first = multiplier_for(first, op.rescale.shift, small_bits);
    op.second = multiplier_for(second, op.rescale.shift, small_bits);
  }

  template <std::size_t I>
  void pack_op() {
    static constexpr Op op = Ops::ops[I];
    static constexpr auto of = Plan<Model>::ops[I];
    if constexpr (of.role == Role::none || of.role == Role::row) return;
    OpNumbers& numbers = to_.ops[I];
    const auto step = [&](int k) {
      return static_cast<double>(to_.of(op.inputs[k]).scale) / static_cast<double>(to_.of(of.target).scale);
    };
    if constexpr (of.role == Role::product || of.role == Role::depthwise)
      pack_product(I);
    else if constexpr (of.role == Role::table)
      pack_table<I>(
          0, [](double x) { return fn::forward<typename Ops::template OpType<static_cast<int>(I)>::Functor>(x); });
    else if constexpr (of.role == Role::concat)
      for (int k = 0; k < op.input_count; ++k) pack_table<I>(k, [](double x) { return x; });
    else if constexpr (of.role == Role::average_pool)
      set(numbers, step(0), 0, most_long_shift);
    else if constexpr (of.role == Role::add)
      set(numbers, step(0), step(1), most_short_shift);
    else if constexpr (of.role == Role::multiply)
      set(numbers, step(0) * static_cast<double>(to_.of(op.inputs[1]).scale), 0, most_long_shift);
    const Quantization& out = to_.of(of.target);
    if constexpr (shifts(of.role)) numbers.rescale.zero = out.zero;
    numbers.rescale.low = out.nearest(of.limits.low);
    numbers.rescale.high = out.nearest(of.limits.high);
  }

  const double* parameters_;
  Weights<Model>& to_;
};

}  // namespace int8

SINTER_NAMESPACE_END
