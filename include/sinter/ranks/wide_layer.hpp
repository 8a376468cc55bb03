// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <tuple>
#include <utility>

#include "sinter/core/aligned.hpp"
#include "sinter/core/unroll.hpp"
#include "sinter/kernels/host/plan/plan.hpp"
#include "sinter/kernels/step_arguments.hpp"
#include "sinter/ranks/column_blocks.hpp"
#include "sinter/ranks/communicator.hpp"
#include "sinter/ranks/input_gradient.hpp"
#include "sinter/ranks/micro_batches.hpp"
#include "sinter/ranks/pipeline_stage.hpp"
#include "sinter/ranks/table_gradient.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {

/// A layer that is divided by columns: the parts of it that a rank has. Each column is computed by one rank as in the
/// undivided layer, and so are the gradients of its weights. The gradient of the inputs is a chain over all outputs: a
/// rank adds those that it has to what the rank before it sends, some rows after others, so that ranks work at the
/// same time on different rows. `Own` has the numbers of the rank: see WideAndNarrow.
template <class Model, class T, class Units, int K, class Device>
class WideLayer {
  template <int P>
  using PartModel = typename Units::template PartOfLayer<K, P>;
  template <int P>
  using Part = PipelineStage<PartModel<P>, T, Device>;
  using Plan = TilePlan<Model, T, typename Device::ISA>;
  using InputRow = typename PartModel<0>::InputRow;
  using Inputs = BatchInputs<TensorView<const T, InputRow>>;
  static constexpr int parts = Units::parts;
  static constexpr bool is_table = Units::template is_table<K>;
  static constexpr std::size_t inputs = std::size_t{InputRow::size};

 public:
  WideLayer(Communicator& world, const Device& device) : pool_(device.pool) {
    unroll<parts>([&](auto p) {
      constexpr int P = decltype(p)::value;
      if (Units::has(Units::unit_of_part(K, P), world.rank(), world.size()))
        std::get<P>(parts_) = std::make_unique<Part<P>>(device);
    });
  }

  /// f(p, part) for the parts that are here, p as a constant.
  template <class F>
  void for_each(F&& f) const {
    unroll<parts>([&](auto p) {
      if (const auto& part = std::get<decltype(p)::value>(parts_)) f(p, *part);
    });
  }

  /// x [rows][inputs], y [rows][outputs], on all ranks.
  template <class Own>
  void infer(const Own& own, const T* parameters, const T* x, std::size_t rows, T* y) {
    for_each([&](auto p, auto& part) {
      constexpr int P = decltype(p)::value;
      part.y.grow(rows * columns<P>.size());
      part.infer(own.parameters_of(Units::unit_of_part(K, P), parameters), Inputs{{x, rows}}, rows, part.y.data());
    });
    gather(own.world(), rows, y);
  }
  /// The same in training: x must stay until backward().
  template <class Own, class Batch>
  void forward(const Own& own, const T* parameters, const Batch& batch, const T* x, T* y) {
    x_ = x;
    if constexpr (is_table) return infer(own, parameters, x, batch.rows, y);
    for_each([&](auto p, auto& part) {
      constexpr int P = decltype(p)::value;
      part.y.grow(batch.rows * columns<P>.size());
      part.forward(own.parameters_of(Units::unit_of_part(K, P), parameters),
                   TrainingBatch{.inputs = Inputs{{x, batch.rows}},
                                 .rows = batch.rows,
                                 .targets = not_given,
                                 .samples = batch.samples,
                                 .key = batch.key},
                   0);
    });
    gather(own.world(), batch.rows, y);
  }
  /// From dy [rows][outputs], which all ranks have, the gradients of the weights, added to `fraction` of those before,
  /// and dx [rows][inputs] on all ranks unless it is null.
  template <class Own>
  void backward(const Own& own, const T* parameters, T* gradient, T fraction, const T* dy, std::size_t rows, T* dx) {
    for_each([&](auto p, auto& part) {
      constexpr int P = decltype(p)::value, unit = Units::unit_of_part(K, P);
      part.dy.grow(rows * columns<P>.size());
      columns<P>.take(dy, rows, part.dy.data());
      T* const to = own.numbers_of(unit, gradient, 1, false);
      if constexpr (is_table)
        table_.run(pool_, table<P>, x_, part.dy.data(), rows, to, fraction);
      else
        part.backward(own.parameters_of(unit, parameters), rows, 0, GradientSum<T>{T(1), to, nullptr, fraction});
    });
    if (dx == nullptr) return;
    if constexpr (is_table)
      std::fill_n(dx, rows * inputs, T(0));
    else
      pass_input_gradient(own, parameters, rows, dx);
  }

 private:
  template <int P>
  static constexpr ColumnBlocks columns = Units::template outputs_of<K>(P);
  template <int P>
  static constexpr TableColumns table = [] {
    constexpr const Op& op = Program<PartModel<P>>::ops[0];
    constexpr const Parameter& weight = Program<PartModel<P>>::parameters[0];
    return TableColumns{op.in.size(), weight.shape[0], weight.shape[1], op.transposed};
  }();

  /// y from the parts of all ranks.
  void gather(Communicator& world, std::size_t rows, T* y) {
    gathered_.grow(world.size() == 1 ? 0 : rows * columns<0>.blocks * columns<0>.length);
    std::array<T*, std::size_t{parts}> from{};
    Exchange exchange(world);
    unroll<parts>([&](auto p) {
      constexpr int P = decltype(p)::value;
      const auto& part = std::get<P>(parts_);
      T* const numbers = part ? part->y.data() : gathered_.data() + rows * columns<P>.blocks * columns<P>.first;
      exchange.share(Units::owner(Units::unit_of_part(K, P), world.size()), numbers, rows * columns<P>.size());
      from[std::size_t{P}] = numbers;
    });
    exchange.run();
    unroll<parts>([&](auto p) {
      constexpr int P = decltype(p)::value;
      columns<P>.put(from[std::size_t{P}], rows, y);
    });
  }

  template <class Own>
  void pass_input_gradient(const Own& own, const T* parameters, std::size_t rows, T* dx) {
    Communicator& world = own.world();
    const int rank = world.rank(), last = world.size() - 1;
    const MicroBatches blocks(rows, last == 0 ? 1 : blocks_of_rank * static_cast<std::size_t>(world.size()));
    Exchange exchange(world);
    for (int tick = 0; tick < blocks.ticks(last); ++tick) {
      blocks.at(tick - rank, [&](std::size_t, std::size_t first, std::size_t count) {
        add_outputs(own, parameters, first, count, dx + first * inputs);
        if (rank < last) exchange.send(rank + 1, dx + first * inputs, count * inputs);
        for (int to = 0; rank == last && to < last; ++to) exchange.send(to, dx + first * inputs, count * inputs);
      });
      if (rank > 0)
        blocks.at(tick - rank + 1, [&](std::size_t, std::size_t first, std::size_t count) {
          exchange.receive(rank - 1, dx + first * inputs, count * inputs);
        });
      if (rank < last)
        blocks.at(tick - last, [&](std::size_t, std::size_t first, std::size_t count) {
          exchange.receive(last, dx + first * inputs, count * inputs);
        });
      exchange.run();
    }
  }
  /// Adds what the outputs here give to the gradient of some rows of the inputs.
  template <class Own>
  void add_outputs(const Own& own, const T* parameters, std::size_t first, std::size_t rows, T* dx) {
    for_each([&](auto p, auto& part) {
      constexpr int P = decltype(p)::value, outputs = static_cast<int>(columns<P>.count);
      const T* const weight =
          own.parameters_of(Units::unit_of_part(K, P), parameters) + Program<PartModel<P>>::parameters[0].offset;
      continue_input_gradient<typename Device::ISA, typename Plan::V>(
          pool_, OutputsOfLinear<T>{part.dy.data() + first * columns<P>.count, weight, outputs, int{inputs}},
          static_cast<int>(rows), P > 0, dx);
    });
  }

  /// How many blocks of rows there are for each rank: R ranks take as long for n R of them as n R + R - 1 take one.
  static constexpr std::size_t blocks_of_rank = 4;

  template <int... P>
  static auto tuple_of(std::integer_sequence<int, P...>) -> std::tuple<std::unique_ptr<Part<P>>...>;

  ThreadPool pool_;
  decltype(tuple_of(std::make_integer_sequence<int, parts>{})) parts_;
  AlignedArray<T> gathered_;  // outputs of other ranks' parts
  const T* x_ = nullptr;
  TableGradient<Plan> table_;
};

}  // namespace detail

SINTER_NAMESPACE_END
