// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <type_traits>

#include "sinter/core/pack.hpp"
#include "sinter/core/shape.hpp"
#include "sinter/kernels/running_statistics.hpp"
#include "sinter/model/program.hpp"

SINTER_NAMESPACE_BEGIN

namespace host_kernels {

/// The values of a batch, shared by all its tiles: for each normalize op, by channel,
///   mean, r = 1 / sqrt(variance + epsilon), scale = r w, shift = b,
/// and in backward dx = from_mean + from_scale (x - mean) for the gradient through the statistics.
template <class Model>
struct BatchMemory {
  using Ops = Program<Model>;
  enum Row { mean, deviation, scale, shift, from_mean, from_scale, rows };

  static constexpr const Op& op(int i) { return Ops::ops[static_cast<std::size_t>(i)]; }
  static constexpr int stride(int i) { return round_up(op(i).in.channels, 64); }
  /// The normalize op that reads a statistics op, and the other way round.
  static constexpr int normalize_of(int statistics) {
    const auto& value = Ops::values[static_cast<std::size_t>(op(statistics).output)];
    return Ops::readers[static_cast<std::size_t>(value.first_read)];
  }
  static constexpr int statistics_of(int normalize) {
    return Ops::values[static_cast<std::size_t>(op(normalize).inputs[1])].producer;
  }

 private:
  /// Where the numbers of each normalize op begin, and where the last ones end, in elements.
  static constexpr auto begins = [] {
    std::array<int, static_cast<std::size_t>(Ops::op_count + 1)> all{};
    for (int i = 0; i < Ops::op_count; ++i)
      all[static_cast<std::size_t>(i + 1)] =
          all[static_cast<std::size_t>(i)] + (op(i).kind == OpKind::normalize ? rows * stride(i) : 0);
    return all;
  }();

 public:
  /// Where a row of a normalize op begins, in elements.
  static constexpr int at(int normalize, Row row) {
    return begins[static_cast<std::size_t>(normalize)] + static_cast<int>(row) * stride(normalize);
  }
  static constexpr int size = begins.back();
  static constexpr bool used = size > 0;

  /// What a tile adds to a value of the batch: two numbers a channel, forward mean and sum of squares, backward the
  /// sums of dy and of dy (x - mean). In doubles.
  static constexpr int partial_at(int normalize) {
    int begin = 0;
    for (int i = 0; i < normalize; ++i)
      if (op(i).kind == OpKind::normalize) begin += 2 * op(i).in.channels;
    return begin;
  }
  static constexpr int partial_size = partial_at(Ops::op_count);

  /// The numbers of a parameter of one dimension, or of a buffer, which are numbered after the parameters: in a
  /// network's array, or elsewhere.
  template <class Network>
  static auto numbers_of(const Network& network, int i) {
    if constexpr (std::is_pointer_v<Network>)
      return network + (i < Ops::parameter_count ? Ops::parameters[static_cast<std::size_t>(i)]
                                                 : Ops::buffers[static_cast<std::size_t>(i - Ops::parameter_count)])
                           .offset;
    else
      return network.numbers_of(i);
  }
  template <class T, class Network>
  static void set(T* memory, const Network& network, int normalize, int c, double mean_now, double variance) {
    const Op &apply = op(normalize), &gather = op(statistics_of(normalize));
    const auto parameter = [&](int number, T otherwise) {
      return number < 0 ? otherwise : numbers_of(network, number)[c];
    };
    const T r = static_cast<T>(1 / std::sqrt(variance + gather.epsilon));
    memory[at(normalize, mean) + c] = static_cast<T>(mean_now);
    memory[at(normalize, deviation) + c] = r;
    memory[at(normalize, scale) + c] = r * parameter(apply.weight, T(1));
    memory[at(normalize, shift) + c] = parameter(apply.bias, T(0));
  }
  /// For inference: from the buffers.
  template <class T, class Network>
  static void set_all(T* memory, const Network& network) {
    for (int i = 0; i < Ops::op_count; ++i) {
      if (op(i).kind != OpKind::normalize) continue;
      const Op& gather = op(statistics_of(i));
      const auto running = [&](int buffer, int c) {
        return static_cast<double>(numbers_of(network, Ops::parameter_count + buffer)[c]);
      };
      for (int c = 0; c < op(i).in.channels; ++c)
        set(memory, network, i, c, running(gather.mean, c), running(gather.variance, c));
    }
  }

  /// Forward: the tiles' means and sums of squares in one, in their order (Chan, Golub and LeVeque, 1983). `rows_of(t)`
  /// is how many rows tile t has, `partial(t)` its sums.
  template <class T, class Rows, class Partial>
  static void combine(int normalize, int tiles, const Rows& rows_of, const Partial& partial, T* memory,
                      const T* network, RunningStatistics<Model, T>& running) {
    const Op& gather = op(statistics_of(normalize));
    for (int c = 0; c < gather.in.channels; ++c) {
      double count = 0, mean_now = 0, squares = 0;
      for (int t = 0; t < tiles; ++t) {
        const double* own = partial(t) + partial_at(normalize) + 2 * c;
        const double n = static_cast<double>(rows_of(static_cast<std::size_t>(t))) * gather.in.pixels(),
                     all = count + n, apart = own[0] - mean_now;
        squares += fn::fma(apart * apart, count * n / all, own[1]);
        mean_now = fn::fma(apart, n / all, mean_now);
        count = all;
      }
      set(memory, network, normalize, c, mean_now, squares / count);
      running.add(network, gather, c, mean_now, squares, count);
    }
  }
  /// Backward: the gradient of each x through mean and deviation.
  template <class T, class Partial>
  static void combine_back(int normalize, int tiles, std::size_t batch, const Partial& partial, T* memory) {
    const Op& gather = op(statistics_of(normalize));
    const double count = static_cast<double>(batch) * gather.in.pixels();
    for (int c = 0; c < gather.in.channels; ++c) {
      double sum = 0, along = 0;
      for (int t = 0; t < tiles; ++t) {
        sum += partial(t)[partial_at(normalize) + 2 * c];
        along += partial(t)[partial_at(normalize) + 2 * c + 1];
      }
      // dmean = - scale sum; dr = w along; dx = dmean / n - dr r^3 (x - mean) / n
      const double r = static_cast<double>(memory[at(normalize, deviation) + c]),
                   scaled = static_cast<double>(memory[at(normalize, scale) + c]);
      memory[at(normalize, from_mean) + c] = static_cast<T>(-scaled * sum / count);
      memory[at(normalize, from_scale) + c] = static_cast<T>(-scaled * along * r * r / count);
    }
  }
};

}  // namespace host_kernels

SINTER_NAMESPACE_END
