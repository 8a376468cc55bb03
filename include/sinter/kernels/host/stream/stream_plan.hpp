// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "sinter/kernels/host/plan/batch_memory.hpp"
#include "sinter/kernels/host/plan/place.hpp"
#include "sinter/kernels/host/plan/plan.hpp"
#include "sinter/kernels/host/products/stream_attention.hpp"
#include "sinter/kernels/host/single/single_plan.hpp"
#include "sinter/plan/moment_program.hpp"

SINTER_NAMESPACE_BEGIN

namespace host_kernels {

/// The plan `stream`: a model moment by moment, a few of them together, with the outputs in the lanes. Each stored
/// value is a ring buffer of its numbers at the last moments that are read again.
template <class Model, class Isa>
struct StreamPlan {
  using Plan = TilePlan<Moment<Model>, float, Isa, false, false>;
  using Whole = TilePlan<Model, float, Isa, false, false>;
  using Ops = typename Plan::Ops;
  using InTime = Moments<Model>;
  using Values = BatchMemory<Moment<Model>>;

  static constexpr int most_moments = 8;  // together
  static constexpr int together = 4;      // windows in one product
  /// Rows of weights and vectors are padded to so many numbers.
  static constexpr int line = Plan::lanes;

  static constexpr std::size_t index(int i) { return static_cast<std::size_t>(i); }
  static constexpr const Op& source(int s) { return Plan::source(s); }
  static constexpr int output(int s) { return Plan::stage(s).output; }
  static constexpr const Timing& timing(int value) { return InTime::timing[index(value)]; }
  static constexpr int numbers(int value) { return InTime::dims(value).size(); }
  /// Whether a stage reads windows along the time: of a value, else the value of its own moment.
  static constexpr bool slides(int s) {
    const Op& op = source(s);
    return !timing(output(s)).each && (op.kind == OpKind::pool || (op.kind == OpKind::product && !op.per_channel));
  }
  static constexpr int taps(int s) { return slides(s) ? source(s).window.width : 1; }
  /// Terms of a product's sum.
  static constexpr int terms(int s) {
    const Op& op = source(s);
    return op.per_channel ? 1 : op.in.size() / op.window.groups * taps(s);
  }
  /// Whether a pool rides in the plans for whole sequences: its sum then begins with the first number, not 0.
  static constexpr bool rides_in_whole(int s) {
    const int op = Plan::stage(s).first;
    return Whole::stage(Whole::Cut::of_op(op)).pool == op;
  }

  /// Whether a stage is the last one of causal attention, and computes all of it: the others do nothing.
  static constexpr bool attends(int s) {
    return source(s).kind == OpKind::matrix_product && !timing(output(s)).each && !is_part_of_attention(s);
  }
  static constexpr bool is_part_of_attention(int s) { return timing(output(s)).attention != Attention::no; }
  /// The input of such a stage that has the values, and the op that makes the scores of its weights.
  static constexpr int attended(int s) { return timing(source(s).inputs[0]).attention == Attention::no ? 0 : 1; }
  static constexpr const Op& scores(int s) {
    int value = source(s).inputs[1 - attended(s)];
    while (timing(Ops::ops[index(Ops::values[index(value)].producer)].inputs[0]).attention != Attention::no)
      value = Ops::ops[index(Ops::values[index(value)].producer)].inputs[0];
    return Ops::ops[index(Ops::values[index(value)].producer)];
  }
  static constexpr StreamAttention attention(int s) {
    const Op &scores = StreamPlan::scores(s), &sums = source(s);
    const Dims values = sums.seen(attended(s));
    return {scores.in.channels,         scores.in.height, values.height,
            timing(sums.output).length, scores.factor,    sums.factor};
  }

  /// How many numbers of a value are available before a moment.
  static constexpr std::uint64_t count(int value, std::uint64_t moment) {
    const Timing& t = timing(value);
    const auto delay = static_cast<std::uint64_t>(t.delay), period = static_cast<std::uint64_t>(t.period);
    return moment <= delay ? 0 : (moment - delay + period - 1) / period;
  }

 private:
  static constexpr bool is_stored(int value) {
    return value == 0 || (output(Plan::Cut::producer(value)) == value && timing(value).attention == Attention::no);
  }
  static constexpr int depth(int value) {
    int most = 1;
    for (int s = 0; s < Plan::stage_count; ++s)
      for (int i = Plan::stage(s).first; i < Plan::stage(s).last; ++i)
        for (int k = 0; k < Plan::op(i).input_count; ++k) {
          if (Plan::op(i).inputs[k] != value || Plan::op(i).kind == OpKind::statistics) continue;
          const int apart = (timing(output(s)).delay - timing(value).delay) / timing(value).period;
          most =
              std::max(most, 1 + apart + (i == Plan::stage(s).first && slides(s) ? source(s).window.padding_width : 0));
        }
    return most;
  }

 public:
  struct Ring {
    int offset = 0, frames = 0;
  };
  static constexpr std::array<Ring, index(Ops::value_count + 1)> rings = [] {
    std::array<Ring, index(Ops::value_count + 1)> all{};
    int offset = 0;
    for (int v = 0; v < Ops::value_count; ++v) {
      all[index(v)].offset = offset;
      if (Ops::values[index(v)].of_batch || !is_stored(v)) continue;
      all[index(v)].frames = depth(v) + divide_up(most_moments - 1, timing(v).period);
      offset += round_up(all[index(v)].frames * numbers(v), line) + line;  // packs are read beyond the last number
    }
    all[index(Ops::value_count)].offset = offset;
    return all;
  }();
  /// The state of each stage that is a recurrence, h and c, or attention, its keys and values.
  static constexpr std::array<int, index(Plan::stage_count + 1)> cells = [] {
    std::array<int, index(Plan::stage_count + 1)> all{};
    int offset = rings[index(Ops::value_count)].offset;
    for (int s = 0; s < Plan::stage_count; ++s) {
      all[index(s)] = offset;
      if (Plan::stage(s).source == Source::recurrence) offset += 2 * round_up(source(s).hidden, line);
      if (attends(s)) offset += attention(s).kept();
    }
    all[index(Plan::stage_count)] = offset;
    return all;
  }();
  /// Numbers that pass from one moment to the next. Windows, products of them, and the rest of the memory follow.
  static constexpr int state = cells[index(Plan::stage_count)];
  static constexpr int windows = state;
  static constexpr int products = windows + [] {
    int most = 0;
    for (int s = 0; s < Plan::stage_count; ++s)
      if (slides(s) && source(s).kind == OpKind::product) most = std::max(most, source(s).in.size() * taps(s));
    return round_up(together * most, line);
  }();
  static constexpr int rows(const Op& op) {
    return op.kind == OpKind::recurrence ? op.gates * op.hidden : op.per_channel ? op.in.channels : op.out.size();
  }
  static constexpr int product_size = [] {
    int most = 0;
    for (int s = 0; s < Plan::stage_count; ++s)
      if (source(s).kind == OpKind::recurrence)
        most = std::max(most, 2 * (round_up(rows(source(s)), line) + line) + round_up(source(s).hidden, line));
      else if (source(s).kind == OpKind::product)
        most = std::max(most, together * round_up(source(s).out.size(), line));
      else if (attends(s))
        most = std::max(most, attention(s).scratch());
    return most;
  }();

 private:
  /// Whether a kernel of one sample works in memory beside the values: of many rows, or products of matrices.
  static constexpr bool uses_scratch = [] {
    for (int s = 0; s < Plan::stage_count; ++s) {
      if (is_part_of_attention(s) || attends(s)) continue;
      if (Plan::stage(s).source == Source::matrix_product) return true;
      if (Plan::stage(s).source == Source::row && source(s).groups >= Plan::lanes) return true;
    }
    return false;
  }();
  /// How far the memory of these kernels is moved, so that SinglePlan::scratch follows the state, and where it ends.
  static constexpr std::array<int, 2> scratch = [] {
    if constexpr (uses_scratch) {
      constexpr int shift = std::max(0, products - SinglePlan<Plan>::scratch);
      return std::array<int, 2>{shift, shift + SinglePlan<Plan>::size};
    } else {
      return std::array<int, 2>{};
    }
  }();

 public:
  /// Where the memory of the kernels of one sample begins; places count from there.
  static constexpr int single_memory = scratch[0];
  static constexpr int size = std::max(products + product_size, scratch[1]);

  /// A parameter as streams read it: [columns][rows, padded] where it is the weight of sums, else as it is.
  struct Matrix {
    int offset = 0, rows = 0, columns = 0;  // rows are 0 if it is not a weight
    constexpr int padded() const { return round_up(rows, line); }
  };
  static constexpr std::array<Matrix, index(Ops::parameter_count + 1)> matrices = [] {
    std::array<Matrix, index(Ops::parameter_count + 1)> all{};
    for (int o = 0; o < Ops::op_count; ++o) {
      const Op& op = Ops::ops[index(o)];
      if (op.kind != OpKind::recurrence && (op.kind != OpKind::product || op.per_channel || InTime::is_table(o)))
        continue;
      const auto add = [&](int i, int rows) {
        all[index(i)].rows = rows;
        all[index(i)].columns = Ops::parameters[index(i)].size / rows;
      };
      add(op.weight, rows(op));
      if (op.kind == OpKind::recurrence) add(op.weight + 1, rows(op));
      if (op.projected > 0) add(op.weight + op.projection(), op.projected);
    }
    int offset = 0;
    for (int i = 0; i < Ops::parameter_count; ++i) {
      Matrix& m = all[index(i)];
      m.offset = offset;
      offset += (m.rows > 0 ? m.columns * m.padded() : Ops::parameters[index(i)].size) + line;
      offset = round_up(offset, 64 / static_cast<int>(sizeof(float)));  // packs do not cross the end of a cache line
    }
    all[index(Ops::parameter_count)].offset = offset;
    return all;
  }();
  /// Where the numbers of normalize ops follow the parameters, and where they end.
  static constexpr int of_batch = matrices[index(Ops::parameter_count)].offset;
  static constexpr int weights_size = of_batch + Values::size;
};

/// Where number i of a value is, where `end` moments are in the memory. Before the first number there are zeros.
template <class Streams, int Value>
SINTER_INLINE std::ptrdiff_t ring_frame(std::int64_t i, std::uint64_t end) {
  constexpr auto ring = Streams::rings[static_cast<std::size_t>(Value)];
  const std::uint64_t count = Streams::count(Value, end);
  int slot = static_cast<int>(count % ring.frames) - static_cast<int>(static_cast<std::int64_t>(count) - i);
  if (slot < 0) slot += ring.frames;
  return ring.offset + std::ptrdiff_t{slot} * Streams::numbers(Value);
}

/// The places of a stage's values at one moment, for the kernels of one sample.
template <class Streams>
struct StreamPlaces {
  using Values = typename Streams::Values;
  static constexpr bool features_in_lanes = true;

  /// Of the values of one stage; the others are not set.
  std::ptrdiff_t frame[static_cast<std::size_t>(Streams::Ops::value_count)];

  StreamPlaces() {}

  static constexpr Place value(int v) { return {0, Streams::Plan::value_dims(v), 0, 0, 1 + v}; }
  SINTER_INLINE std::ptrdiff_t begin(int base) const { return base == 0 ? 0 : frame[base - 1]; }
  static constexpr std::ptrdiff_t parameter(int i) { return Streams::matrices[static_cast<std::size_t>(i)].offset; }
  static constexpr std::ptrdiff_t of_batch(int i, typename Values::Row row) { return Values::at(i, row); }
};

}  // namespace host_kernels

SINTER_NAMESPACE_END
