// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "sinter/data/batch.hpp"
#include "sinter/fn/of_position.hpp"
#include "sinter/kernels/carried_states.hpp"
#include "sinter/kernels/reference/elementwise.hpp"
#include "sinter/kernels/reference/group_norm.hpp"
#include "sinter/kernels/reference/mask.hpp"
#include "sinter/kernels/reference/matrix_product.hpp"
#include "sinter/kernels/reference/pool.hpp"
#include "sinter/kernels/reference/product.hpp"
#include "sinter/kernels/reference/recurrence.hpp"
#include "sinter/kernels/running_statistics.hpp"
#include "sinter/kernels/step_arguments.hpp"
#include "sinter/loss/target.hpp"
#include "sinter/loss/weight.hpp"
#include "sinter/model/program.hpp"
#include "sinter/ops/index_sum.hpp"
#include "sinter/ops/lookup.hpp"

SINTER_NAMESPACE_BEGIN

/// Runs the ops of a model in sequence, each over all rows of the batch, and stores every value. Arrays are row-major:
/// x [rows][input], y [rows][output]; parameters and gradients are laid out as in Program::parameters.
template <class Model, class T>
class ReferenceEngine {
  using Ops = Program<Model>;

 public:
  /// Inference: masks are the identity.
  void forward(const T* parameters, const T* x, std::size_t rows, T* y) {
    forward_ops(parameters, x, rows, false, false);
    std::copy_n(values_[output_value].data(), rows * outputs, y);
  }

  /// Training: returns the sum of the losses of the rows, x [rows][input]; their gradient goes to `to`.
  template <class Loss, class Targets, class InputGradient>
  double accumulate(const T* parameters, const TrainingBatch<const T*, Targets>& batch, const Loss& loss,
                    const GradientSum<T, InputGradient>& to) {
    forward_in_training(parameters, batch);
    return backward(parameters, batch, loss, to);
  }
  /// Only its first half: y [rows][output]; with running averages unless by `statistics`, which `backward` needs.
  template <class Targets>
  void forward_kept(const T* parameters, const TrainingBatch<const T*, Targets>& batch, T* y, bool statistics = true) {
    forward_in_training(parameters, batch, statistics);
    std::copy_n(values_[output_value].data(), batch.rows * outputs, y);
  }
  /// The second half.
  template <class Loss, class Batch, class InputGradient>
  double backward(const T* parameters, const Batch& batch, const Loss& loss, const GradientSum<T, InputGradient>& to) {
    const std::size_t rows = batch.rows;
    for (T& sum : std::span(to.gradient, Ops::arena_size)) sum = to.fraction == T(0) ? T(0) : to.fraction * sum;
    for (std::size_t v = 0; v < gradients_.size(); ++v) gradients_[v].assign(values_[v].size(), T(0));
    double sum = 0;
    if constexpr (heads_of_loss<Loss> > 0)
      if (to.losses_of_heads != nullptr) std::fill_n(to.losses_of_heads, heads_of_loss<Loss>, 0.0);
    for (std::size_t row = 0; row < rows; ++row) {
      const T* y = values_[output_value].data() + row * outputs;
      T* dy = gradients_[output_value].data() + row * outputs;
      const auto compare_with = [&](auto target) {
        const T weight = row_weight<T>(batch.targets, row);
        if constexpr (heads_of_loss<Loss> > 0) {
          T each[heads_of_loss<Loss>];
          sum += static_cast<double>(weight * loss.forward_each(y, target, each));
          for (std::size_t h = 0; h < heads_of_loss<Loss> && to.losses_of_heads != nullptr; ++h)
            to.losses_of_heads[h] += static_cast<double>(weight * each[h]);
        } else {
          sum += static_cast<double>(weight * loss.forward(y, Ops::output.size(), target));
        }
        loss.backward(y, Ops::output.size(), target, weight * to.scale, dy);
      };
      if constexpr (std::is_same_v<typename Loss::Target, ClassTarget>)
        compare_with(static_cast<T>(batch.targets.label(row)));
      else
        compare_with(static_cast<const T*>(batch.targets.row(row)));
    }
    [&]<std::size_t... Index>(std::index_sequence<Index...>) {
      (backward_op<sizeof...(Index) - 1 - Index>(parameters, rows, to.gradient), ...);
    }(EachOp{});
    if (to.input_gradient != nullptr)
      std::copy_n(gradients_[0].data(), rows * inputs, static_cast<T*>(to.input_gradient));
    return sum;
  }

  /// The buffers after a batch, and the states that recurrences begin one with.
  RunningStatistics<Model, T>& statistics() { return statistics_; }
  CarriedStates<T>& carried() { return carried_; }

  /// A value of the last batch, [rows][size]; 0 is its input.
  std::span<const T> value(int i) const { return values_[index(i)]; }

 private:
  static constexpr std::size_t index(int i) { return static_cast<std::size_t>(i); }
  static constexpr std::size_t inputs = index(Ops::input.size()), outputs = index(Ops::output.size());
  static constexpr std::size_t output_value = index(Ops::output_value);
  using EachOp = std::make_index_sequence<index(Ops::op_count)>;

  /// A parameter in an arena of numbers; null where the op has none.
  template <class Number>
  static Number* find(Number* arena, int parameter) {
    return parameter < 0 ? nullptr : arena + Ops::parameters[index(parameter)].offset;
  }

  template <class Batch>
  void forward_in_training(const T* parameters, const Batch& batch, bool statistics = true) {
    for (std::size_t i = 0; i < Ops::ops.size(); ++i)
      if (Ops::ops[i].kind == OpKind::mask)
        masks_[i] = reference_kernels::draw_masks<T>(Ops::ops[i], batch.key, batch.samples, batch.rows);
    forward_ops(parameters, batch.inputs, batch.rows, statistics, true);
  }
  void forward_ops(const T* parameters, const T* x, std::size_t rows, bool training, bool masked) {
    values_[0].assign(x, x + rows * inputs);
    carried_.begin_batch(CarriedNumbers<Ops>::of_row(rows, 0));
    [&]<std::size_t... Index>(std::index_sequence<Index...>) {
      (forward_op<Index>(parameters, rows, training, masked), ...);
    }(EachOp{});
  }

  template <std::size_t Index>
  void forward_op(const T* parameters, std::size_t rows, bool training, [[maybe_unused]] bool masked) {
    static constexpr Op op = Ops::ops[Index];
    constexpr std::size_t n = index(op.in.size()), m = index(op.out.size());
    values_[index(op.output)].assign(op.kind == OpKind::statistics ? m : rows * m, T(0));
    if constexpr (op.kind == OpKind::statistics) gather<Index>(parameters, rows, training);
    for (std::size_t row = 0; row < rows && op.kind != OpKind::statistics; ++row) {
      const T* x = values_[index(op.inputs[0])].data() + row * n;
      T* y = values_[index(op.output)].data() + row * m;
      if constexpr (op.kind == OpKind::product) {
        reference_kernels::product_forward(op, find(parameters, op.weight), find(parameters, op.bias), x, y);
      } else if constexpr (op.kind == OpKind::map) {
        using F = typename Ops::template OpType<static_cast<int>(Index)>::Functor;
        for (std::size_t i = 0; i < n; ++i) y[i] = fn::forward_at<F, op.in>(x[i], static_cast<int>(i));
      } else if constexpr (op.kind == OpKind::mask) {
        for (std::size_t i = 0; i < n; ++i) y[i] = masked ? masks_[Index][row * n + i] * x[i] : x[i];
      } else if constexpr (op.kind == OpKind::pool) {
        reference_kernels::pool_forward(op, x, y);
      } else if constexpr (op.kind == OpKind::add) {
        for (std::size_t i = 0; i < n; ++i) y[i] = x[i] + values_[index(op.inputs[1])][row * n + i];
      } else if constexpr (op.kind == OpKind::elementwise) {
        using F = typename Ops::template OpType<static_cast<int>(Index)>;
        reference_kernels::elementwise_forward<F>(x, values_[index(op.inputs[1])].data() + row * n, n, y);
      } else if constexpr (op.kind == OpKind::normalize) {
        const T *mean = values_[index(op.inputs[1])].data(), *scale = mean + op.in.channels;
        const T *weight = find(parameters, op.weight), *bias = find(parameters, op.bias);
        for (std::size_t i = 0; i < n; ++i) {
          const std::size_t c = i / index(op.in.pixels());
          y[i] = (x[i] - mean[c]) * scale[c] * (weight ? weight[c] : T(1)) + (bias ? bias[c] : T(0));
        }
      } else if constexpr (op.kind == OpKind::group_normalize) {
        reference_kernels::group_normalize_forward(op, find(parameters, op.weight), find(parameters, op.bias), x, y);
      } else if constexpr (op.kind == OpKind::recurrence) {
        recurrences<Index>(parameters, row).forward(x, y);
      } else if constexpr (op.kind == OpKind::matrix_product) {
        const T* second = values_[index(op.inputs[1])].data() + row * index(op.second.size());
        reference_kernels::matrix_product_forward(op, x, second, y);
      } else if constexpr (op.kind == OpKind::index_map) {
        each_index_term<Index>([&](std::size_t to, std::size_t from, T weight) { y[to] += weight * x[from]; });
      } else if constexpr (op.kind == OpKind::lookup) {
        each_looked_up<Index>(x, [&](std::size_t at, std::ptrdiff_t of) {
          y[at] = of < 0 ? std::numeric_limits<T>::quiet_NaN() : find(parameters, op.weight)[of];
        });
      } else if constexpr (op.kind == OpKind::concat) {
        for (int k = 0; k < op.input_count; ++k) {
          const std::size_t size = index(op.seen(k).size());
          y = std::copy_n(values_[index(op.inputs[k])].data() + row * size, size, y);
        }
      } else if constexpr (op.kind != OpKind::statistics) {
        static_assert(op.kind == OpKind::row, "sinter: add this kind of op to kernels/reference/engine.hpp");
        using F = typename Ops::template OpType<static_cast<int>(Index)>::Functor;
        const int size = op.in.size() / op.groups;
        for (int i = 0; i < op.groups; ++i) F::forward(x + i * size, y + i * size, size);
      }
    }
  }

  /// Adds to the gradients of what the op reads, so that those of a value that is read twice are summed.
  template <std::size_t Index>
  void backward_op(const T* parameters, std::size_t rows, T* gradient) {
    static constexpr Op op = Ops::ops[Index];
    constexpr std::size_t n = index(op.in.size()), m = index(op.out.size());
    if constexpr (op.kind == OpKind::statistics) scatter<Index>(rows);
    for (std::size_t row = 0; row < rows && op.kind != OpKind::statistics; ++row) {
      const T* x = values_[index(op.inputs[0])].data() + row * n;
      const T* y = values_[index(op.output)].data() + row * m;
      const T* dy = gradients_[index(op.output)].data() + row * m;
      T* dx = gradients_[index(op.inputs[0])].data() + row * n;
      if constexpr (op.kind == OpKind::product) {
        reference_kernels::product_backward(op, find(parameters, op.weight), x, dy, dx, find(gradient, op.weight),
                                            find(gradient, op.bias));
      } else if constexpr (op.kind == OpKind::map) {
        using F = typename Ops::template OpType<static_cast<int>(Index)>::Functor;
        const T* saved = op.backward_reads_output ? y : x;
        for (std::size_t i = 0; i < n; ++i) dx[i] += fn::backward_at<F, op.in>(saved[i], dy[i], static_cast<int>(i));
      } else if constexpr (op.kind == OpKind::mask) {
        for (std::size_t i = 0; i < n; ++i) dx[i] += masks_[Index][row * n + i] * dy[i];
      } else if constexpr (op.kind == OpKind::pool) {
        reference_kernels::pool_backward(op, x, dy, dx);
      } else if constexpr (op.kind == OpKind::add) {
        for (const int value : {op.inputs[1], op.inputs[0]})
          for (std::size_t i = 0; i < n; ++i) gradients_[index(value)][row * n + i] += dy[i];
      } else if constexpr (op.kind == OpKind::normalize) {
        const T *mean = values_[index(op.inputs[1])].data(), *scale = mean + op.in.channels;
        T *dmean = gradients_[index(op.inputs[1])].data(), *dscale = dmean + op.in.channels;
        const T* weight = find(parameters, op.weight);
        T *dweight = find(gradient, op.weight), *dbias = find(gradient, op.bias);
        for (std::size_t i = 0; i < n; ++i) {
          const std::size_t c = i / index(op.in.pixels());
          const T g = dy[i] * (weight ? weight[c] : T(1));
          dx[i] += g * scale[c];
          dmean[c] -= g * scale[c];
          dscale[c] += g * (x[i] - mean[c]);
          if (dweight) dweight[c] += dy[i] * (x[i] - mean[c]) * scale[c];
          if (dbias) dbias[c] += dy[i];
        }
      } else if constexpr (op.kind == OpKind::group_normalize) {
        reference_kernels::group_normalize_backward(op, find(parameters, op.weight), x, dy, dx,
                                                    find(gradient, op.weight), find(gradient, op.bias));
      } else if constexpr (op.kind == OpKind::recurrence) {
        recurrences<Index>(parameters, row).backward(x, dy, dx, gradient, of_row(gradients_, op, op.given, row));
      } else if constexpr (op.kind == OpKind::elementwise) {
        using F = typename Ops::template OpType<static_cast<int>(Index)>;
        reference_kernels::elementwise_backward<F>(x, values_[index(op.inputs[1])].data() + row * n, dy, n, dx,
                                                   gradients_[index(op.inputs[1])].data() + row * n);
      } else if constexpr (op.kind == OpKind::matrix_product) {
        const std::size_t first = row * index(op.second.size());
        reference_kernels::matrix_product_backward(op, x, values_[index(op.inputs[1])].data() + first, dy, dx,
                                                   gradients_[index(op.inputs[1])].data() + first);
      } else if constexpr (op.kind == OpKind::index_map) {
        each_index_term<Index>([&](std::size_t to, std::size_t from, T weight) { dx[from] += weight * dy[to]; });
      } else if constexpr (op.kind == OpKind::lookup) {
        each_looked_up<Index>(x, [&](std::size_t at, std::ptrdiff_t of) {
          if (of >= 0) find(gradient, op.weight)[of] += dy[at];
        });
      } else if constexpr (op.kind == OpKind::concat) {
        for (int k = 0; k < op.input_count; ++k) {
          const std::size_t size = index(op.seen(k).size());
          T* part = gradients_[index(op.inputs[k])].data() + row * size;
          for (std::size_t i = 0; i < size; ++i) part[i] += *dy++;
        }
      } else if constexpr (op.kind == OpKind::row) {
        using F = typename Ops::template OpType<static_cast<int>(Index)>::Functor;
        std::vector<T> d(dy, dy + n);
        const int size = op.in.size() / op.groups;
        for (int i = 0; i < op.groups; ++i) F::backward(y + i * size, d.data() + i * size, size);  // in place
        for (std::size_t i = 0; i < n; ++i) dx[i] += d[i];
      }
    }
  }

  /// Input k of an op, for a row; null for 0.
  template <class Values>
  static auto* of_row(Values& values, const Op& op, int k, std::size_t row) {
    return k > 0 ? values[index(op.inputs[k])].data() + row * index(op.seen(k).size()) : nullptr;
  }
  template <std::size_t Index>
  auto recurrences(const T* parameters, std::size_t row) {
    static constexpr Op op = Ops::ops[Index];
    using Cell = typename Ops::template OpType<static_cast<int>(Index)>::Cell;
    const auto tensor = [](auto* arena, int number) { return find(arena, number); };
    const T *state = of_row(values_, op, op.given, row), *length = of_row(values_, op, op.lengths, row);
    const std::size_t at = CarriedNumbers<Ops>::of_row(row, static_cast<int>(Index));
    return reference_kernels::recurrences<Cell, T>(op, tensor, parameters, state, length, carried_.before(at),
                                                   carried_.after(at));
  }
  /// Calls visit(output, input, weight) for all terms of an index map. Backward reads the same terms, the other way.
  template <std::size_t Index, class Visit>
  static void each_index_term(Visit visit) {
    static constexpr Op op = Ops::ops[Index];
    using Sum = IndexSum<typename Ops::template OpType<static_cast<int>(Index)>::Indices, op.in, false, Ops::hash>;
    for (int i = 0; i < op.out.size(); ++i)
      Sum::each(i / op.out.pixels(), i % op.out.pixels() / op.out.width, i % op.out.width, [&](const auto& one) {
        const int from = (one.at[0] * op.in.height + one.at[1]) * op.in.width + one.at[2];
        visit(index(i), index(from), static_cast<T>(one.weight));
      });
  }

  /// Calls visit(output, index in the table) for each output of a lookup; -1 where the index is out of range.
  template <std::size_t Index, class Visit>
  static void each_looked_up(const T* x, Visit visit) {
    static constexpr Op op = Ops::ops[Index];
    const auto& shape = Ops::parameters[index(op.weight)].shape;
    for (int n = 0; n < op.in.size(); ++n)
      for (int k = 0; k < shape[1]; ++k) {
        const int row = row_of_table(x[n], shape[0]);
        const LookupPlace at = place_of({n, k}, op.transposed);
        visit(index(at.channel * op.out.pixels() + at.pixel), row < 0 ? -1 : row * shape[1] + k);
      }
  }

  /// Calls visit(channel, value) for all numbers of a value.
  template <std::size_t Index, class Visit>
  void each_of_batch(std::size_t rows, std::vector<T>& values, Visit visit) {
    constexpr Dims in = Ops::ops[Index].in;
    for (std::size_t i = 0; i < rows * index(in.size()); ++i)
      visit(i % index(in.size()) / index(in.pixels()), values[i]);
  }
  /// The mean of each channel and 1 / sqrt(variance + epsilon).
  template <std::size_t Index>
  void gather(const T* parameters, std::size_t rows, bool training) {
    static constexpr Op op = Ops::ops[Index];
    constexpr std::size_t channels = index(op.in.channels);
    T *mean = values_[index(op.output)].data(), *scale = mean + channels;
    const double count = static_cast<double>(rows) * op.in.pixels();
    std::vector<double> sum(channels), squares(channels);
    auto& x = values_[index(op.inputs[0])];
    each_of_batch<Index>(rows, x, [&](std::size_t c, T v) { sum[c] += static_cast<double>(v) / count; });
    each_of_batch<Index>(rows, x, [&](std::size_t c, T v) {
      squares[c] += (static_cast<double>(v) - sum[c]) * (static_cast<double>(v) - sum[c]);
    });
    for (std::size_t c = 0; c < channels; ++c) {
      const auto running = [&](int buffer) {
        return static_cast<double>(parameters[Ops::buffers[index(buffer)].offset + static_cast<int>(c)]);
      };
      mean[c] = static_cast<T>(training ? sum[c] : running(op.mean));
      scale[c] = static_cast<T>(1 / std::sqrt((training ? squares[c] / count : running(op.variance)) + op.epsilon));
      if (training) statistics_.add(parameters, op, static_cast<int>(c), sum[c], squares[c], count);
    }
  }
  template <std::size_t Index>
  void scatter(std::size_t rows) {
    static constexpr Op op = Ops::ops[Index];
    const T *mean = values_[index(op.output)].data(), *scale = mean + op.in.channels;
    const T *dmean = gradients_[index(op.output)].data(), *dscale = dmean + op.in.channels;
    const T count = static_cast<T>(rows * index(op.in.pixels()));
    const T* x = values_[index(op.inputs[0])].data();
    each_of_batch<Index>(rows, gradients_[index(op.inputs[0])], [&](std::size_t c, T& dx) {
      dx += (dmean[c] - dscale[c] * scale[c] * scale[c] * scale[c] * (*x++ - mean[c])) / count;
    });
  }

  RunningStatistics<Model, T> statistics_;
  CarriedStates<T> carried_;
  // Of all rows, by value and by op.
  std::array<std::vector<T>, index(Ops::value_count)> values_, gradients_;
  std::array<std::vector<T>, index(Ops::op_count)> masks_;
};

SINTER_NAMESPACE_END
