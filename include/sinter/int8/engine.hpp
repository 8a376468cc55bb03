// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "sinter/core/of_library.hpp"
#include "sinter/data/batch.hpp"
#include "sinter/int8/pointwise.hpp"
#include "sinter/int8/product.hpp"
#include "sinter/int8/weights.hpp"

SINTER_NAMESPACE_BEGIN

namespace int8 {

/// Runs a quantized model: the ops in sequence, each over the rows of a tile. Needs no heap, threads or files. Its
/// constants are as in Weights, the products' as Isa takes them.
template <class Model, class Isa, class Constants>
class Engine {
  using Ops = Program<Model>;
  using Plan = int8::Plan<Model>;
  static constexpr std::size_t at(int i) { return static_cast<std::size_t>(i); }
  static constexpr int outputs = Ops::output.size();

 public:
  using Operand = typename Isa::Operand;
  /// Rows that are computed together, at most.
  static constexpr std::size_t tile = std::clamp(256 * 1024 / (Plan::bytes + 1), 4, 32);

  /// The working memory of one thread.
  struct Workspace {
    std::size_t rows;  // of a tile
    std::span<std::uint8_t> values;
    std::span<Operand> operand;
  };
  /// What it has for tiles of some rows.
  static constexpr std::size_t value_bytes(std::size_t rows) { return rows * at(Plan::bytes) + read_beyond; }
  static constexpr std::size_t operands(std::size_t rows) { return operand_size(rows) + read_beyond; }

  /// y [batch][output] of a batch, on the calling thread. No allocation.
  template <class View>
  static void forward_tiles(const Constants* weights, const BatchInputs<View>& inputs, std::size_t batch,
                            Workspace& workspace, float* y) {
    for (std::size_t first = 0; first < batch; first += workspace.rows) {
      const Engine::Tile part{*weights, workspace, std::min(workspace.rows, batch - first)};
      for (std::size_t i = 0; i < part.rows; ++i) part.load(inputs, first + i, i);
      part.compute(y + first * at(outputs));
    }
  }

 private:
  static constexpr bool reads_in_place(std::size_t index) {
    const Op& op = Ops::ops[index];
    const Geometry g = Geometry::of(op);
    return std::is_same_v<Operand, std::uint8_t> && g.size() == op.in.size() &&
           (op.whole || Plan::values[at(op.inputs[0])].order == Order::of(op.in));
  }
  static constexpr std::size_t operand_size(std::size_t rows) {
    std::size_t most = 0;
    for (std::size_t i = 0; i < Ops::ops.size(); ++i) {
      const Op& op = Ops::ops[i];
      if (Plan::ops[i].role == Role::none) continue;
      const bool product = Plan::ops[i].role == Role::product || Plan::ops[i].role == Role::depthwise;
      if (product && reads_in_place(i)) continue;
      std::size_t size = product ? at(Geometry::of(op).size()) : 0;
      for (int k = 0; !product && k < op.input_count; ++k) size = std::max(size, at(op.seen(k).size()));  // see seen()
      most = std::max(most, op.whole ? size * rows : size);
    }
    return most;
  }

  /// The rows of a tile on their way through the ops.
  struct Tile {
    const Constants& weights;
    Workspace& workspace;
    std::size_t rows;

    std::uint8_t* value(int v, std::size_t row) const {
      const auto& of = Plan::values[at(v)];
      return workspace.values.data() + workspace.rows * at(of.place) + row * at(row_bytes(of.order.size));
    }
    /// Input k of an op for a row, in an order; where its own is another, a copy.
    template <std::size_t I>
    const std::uint8_t* seen(int k, std::size_t row, const Order& order) const {
      const int v = Ops::ops[I].inputs[k];
      const Order& own = Plan::values[at(v)].order;
      if (own == order) return value(v, row);
      auto* const copy = reinterpret_cast<std::uint8_t*>(workspace.operand.data());
      reorder(own, value(v, row), order, copy);
      return copy;
    }

    template <class View>
    void load(const BatchInputs<View>& inputs, std::size_t row, std::size_t to_row) const {
      const auto& of = weights.input(inputs.normalize);
      std::uint8_t* const to = value(0, to_row);
      constexpr Dims in = Ops::input;
      const auto from = inputs.view.row(inputs.choice[row]);
      for (int y = 0; y < in.height; ++y)
        for (int c = 0; c < in.channels; ++c) {
          const auto* const line = from + c * inputs.view.channel_stride + y * inputs.view.height_stride;
          std::uint8_t* const at_pixel = to + y * in.width * in.channels + c;
          for (int x = 0; x < in.width; ++x)
            at_pixel[x * in.channels] = of(static_cast<float>(line[x * inputs.view.width_stride]));
        }
    }
    void compute(float* y) const {
      [&]<std::size_t... I>(std::index_sequence<I...>) {
        (run<I>(), ...);
      }(std::make_index_sequence<at(Ops::op_count)>{});
      for (std::size_t row = 0; row < rows; ++row) write(row, y + row * at(outputs));
    }
    /// The outputs of a row as numbers; a last Softmax or LogSoftmax is computed of these.
    void write(std::size_t row, float* y) const {
      constexpr int last = Ops::values[at(Ops::output_value)].producer;
      if constexpr (last >= 0 && Plan::ops[at(std::max(last, 0))].role == Role::row) {
        constexpr int v = Ops::ops[at(last)].inputs[0];
        using F = typename Ops::template OpType<last>::Functor;
        constexpr bool in_place = detail::is_of_library<F>;
        float apart[in_place ? 1 : outputs];
        float* const x = in_place ? y : apart;
        numbers(v, row, x);
        F::forward(static_cast<const float*>(x), y, outputs);
      } else {
        numbers(Ops::output_value, row, y);
      }
    }
    void numbers(int v, std::size_t row, float* y) const {
      const Quantization& q = weights.of(v);
      const Order& order = Plan::values[at(v)].order;
      const std::uint8_t* const from = value(v, row);
      for (int i = 0; i < outputs; ++i) y[i] = q.value(from[order.place_of(i)]);
    }

    template <std::size_t I>
    void run() const {
      static constexpr Op op = Ops::ops[I];
      static constexpr auto of = Plan::ops[I];
      static constexpr Order order = Plan::values[at(of.target)].order, read = Order::of(op.in);
      constexpr std::size_t size = at(op.out.size());
      constexpr Place place = Layout<Model>::of(I);
      const OpNumbers& by = weights.ops[I];
      if constexpr (of.role == Role::product && op.whole) {
        run_whole<I>();
      } else if constexpr (of.role != Role::none && of.role != Role::row) {
        for (std::size_t row = 0; row < rows; ++row) {
          std::uint8_t* const y = value(of.target, row);
          if constexpr (of.role == Role::product || of.role == Role::depthwise) {
            run_windows<I>(row, y);
          } else if constexpr (of.role == Role::table) {
            look_up(weights.tables.data() + place.table, value(op.inputs[0], row), size, y);
          } else if constexpr (of.role == Role::max_pool) {
            max_pool(op, seen<I>(0, row, read), y);
          } else if constexpr (of.role == Role::average_pool) {
            average_pool(op, seen<I>(0, row, read), weights.of(op.inputs[0]).zero, by, y);
          } else if constexpr (of.role == Role::add || of.role == Role::multiply) {
            constexpr auto compute = of.role == Role::add ? &add : &multiply;
            compute(value(op.inputs[0], row), weights.of(op.inputs[0]).zero, seen<I>(1, row, order),
                    weights.of(op.inputs[1]).zero, size, by, y);
          } else if constexpr (of.role == Role::concat) {
            for (int k = 0; k < op.input_count; ++k) join<I>(k, row, y);
          }
        }
      }
    }
    /// Input k of a concat: to its channels of each pixel.
    template <std::size_t I>
    void join(int k, std::size_t row, std::uint8_t* y) const {
      static constexpr Op op = Ops::ops[I];
      const int channels = op.seen(k).channels;
      const std::uint8_t* const x = seen<I>(k, row, Order::of(op.seen(k)));
      const std::uint8_t* const table = weights.tables.data() + Layout<Model>::of(I).table + 256 * k;
      for (int pixel = 0; pixel < op.out.pixels(); ++pixel)
        look_up(table, x + pixel * channels, at(channels), y + pixel * op.out.channels + op.first_channel(k));
    }
    template <std::size_t I>
    WeightsOfProduct weights_of(const std::int8_t* all) const {
      constexpr Place place = Layout<Model>::of(I);
      const std::int32_t* const start = weights.numbers.data() + place.numbers;
      return {.weights = all + place.weights,
              .start = start,
              .multipliers = start + place.outputs,
              .rescale = weights.ops[I].rescale};
    }
    template <std::size_t I>
    void run_windows(std::size_t row, std::uint8_t* y) const {
      static constexpr Op op = Ops::ops[I];
      static constexpr Geometry g = Geometry::of(op);
      const Operand* x;
      if constexpr (reads_in_place(I)) {
        x = value(op.inputs[0], row);
      } else {
        load_padded(op, g, Plan::values[at(op.inputs[0])].order, value(op.inputs[0], row),
                    weights.of(op.inputs[0]).zero, workspace.operand.data());
        x = workspace.operand.data();
      }
      constexpr Positions positions{op.out.pixels(), op.out.width, op.window.stride_height * g.width * g.channels,
                                    op.window.stride_width * g.channels};
      constexpr Dims out = Ops::values[at(Plan::ops[I].target)].dims;
      if constexpr (Plan::ops[I].role == Role::depthwise)
        depthwise<Isa>(op.window, g, x, positions, weights_of<I>(weights.weights.data()), Layout<Model>::of(I).outputs,
                       y);
      else if constexpr (Plan::ops[I].pools)
        product<Isa, pool_rows>(g, x, positions.pooled(out.pixels(), out.width), weights_of<I>(weights.products()), y,
                                op.out.channels);
      else
        product<Isa>(g, x, positions, weights_of<I>(weights.products()), y, op.out.channels);
    }
    /// Of whole samples: all rows of the tile together.
    template <std::size_t I>
    void run_whole() const {
      static constexpr Op op = Ops::ops[I];
      static constexpr Geometry g = Geometry::of(op);
      const Operand* x;
      if constexpr (reads_in_place(I)) {
        x = value(op.inputs[0], 0);
      } else {
        for (std::size_t row = 0; row < rows; ++row)
          load_padded(op, g, {}, value(op.inputs[0], row), 0, workspace.operand.data() + row * at(g.size()));
        x = workspace.operand.data();
      }
      const int step = reads_in_place(I) ? row_bytes(g.size()) : g.size();
      const Positions positions{static_cast<int>(rows), static_cast<int>(rows), 0, step};
      product<Isa>(g, x, positions, weights_of<I>(weights.products()), value(Plan::ops[I].target, 0),
                   row_bytes(op.out.size()));
    }
  };
};

}  // namespace int8

SINTER_NAMESPACE_END
