// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "sinter/kernels/host/stages/matmul.hpp"
#include "sinter/kernels/host/step/tile_group.hpp"
#include "sinter/kernels/host/stream/lane_plan.hpp"

SINTER_NAMESPACE_BEGIN

namespace host_kernels {

/// y[m] = start[m] + sum over k of w[k][m] x[k], in the order of k: for `rows` rows and those up to the next multiple
/// of 8, packs of streams. start may be null. Sizes are known at run time: one instance serves every layer.
template <class Isa, class V, class T>
SINTER_SHARED void product_of_lanes(const T* w, int padded, const T* start, const T* x, int rows, int terms, T* y) {
  int m = 0;
  const auto block = [&](auto count) SINTER_LAMBDA {
    constexpr int M = decltype(count)::value;
    V sum[M][1];
    unroll<M>([&](int i) SINTER_LAMBDA { sum[i][0] = V(start ? start[m + i] : T(0)); });
    product_block<M>(w + m, 1, padded, x, terms, sum,
                     [&](int i, V v) SINTER_LAMBDA { v.store(y + (m + i) * V::lanes); });
    m += M;
  };
  constexpr int most = lane_sums(Isa::registers);
  while (m + most <= rows) block(std::integral_constant<int, most>{});
  while (m < rows) block(std::integral_constant<int, 8>{});
}

/// Processes a moment of a pack of streams, with the weights as StreamWeights stores them.
template <class Plan>
struct LaneTile : Tile<typename Plan::P, false> {
  using T = float;
  using V = typename Plan::P::V;
  static constexpr int L = Plan::L;
  float* beside = nullptr;   // the memory outside of the tile
  std::uint64_t moment = 0;  // since the first one of all streams
  const std::uint64_t* begin =
      nullptr;  // the moments of each stream before this block, and those of it before this one
  std::uint64_t since_begin = 0;

  LaneTile(float* numbers, const float* weights) : beside(numbers) {
    this->memory = numbers + std::ptrdiff_t{Plan::tile} * L;
    this->parameters = weights;
    this->batch = weights + Plan::Streams::of_batch;
  }
  SINTER_INLINE const float* parameter(int i) const {
    return this->parameters + Plan::Streams::matrices[static_cast<std::size_t>(i)].offset;
  }
  SINTER_INLINE float* packs(int offset) const { return beside + std::ptrdiff_t{offset} * L; }
  /// What a stream has for itself of a stage.
  SINTER_INLINE float* apart(int stage, int lane) const {
    return packs(Plan::apart[static_cast<std::size_t>(stage)]) + std::ptrdiff_t{lane} * Plan::apart_size(stage);
  }
  SINTER_INLINE std::uint64_t position(int lane) const { return begin[lane] + since_begin; }
};

/// Stage S on a moment. Each number is the chain of operations that it is in the other plans.
template <class Plan, int S>
struct LaneStage {
  using Streams = typename Plan::Streams;
  using P = typename Plan::P;
  using V = typename P::V;
  using Tile = LaneTile<Plan>;
  static constexpr Op op = P::source(S);
  static constexpr int first = P::stage(S).first, L = P::lanes;

  const Tile& tile;

  void forward() const {
    if constexpr (op.kind == OpKind::recurrence)
      recur();
    else if constexpr (Plan::makes_scores(S))
      keep_operands();
    else if constexpr (Streams::is_part_of_attention(S))
      return;
    else if constexpr (Streams::attends(S))
      attend();
    else if constexpr (op.kind == OpKind::map && Streams::InTime::has_positions(first))
      encode();
    else if constexpr (Plan::is_table(S))
      look_up();
    else if constexpr (op.kind == OpKind::product && op.per_channel)
      scale();
    else if constexpr (op.kind == OpKind::product)
      product();
    else
      stage_kernel<Pass::forward, Tile, S>(tile);
  }

 private:
  SINTER_INLINE void finish(int i, V v) const {
    V one[1] = {v};
    ride<Tile, S, first + 1>(tile, Position::of(i, op.out), one);
  }
  /// The numbers that the product of this moment reads: of a convolution those of its window.
  const float* operands() const {
    const float* const now = flat_input<Tile, S>(tile);
    if constexpr (!Plan::slides(S)) {
      return now;
    } else {
      constexpr auto ring = Plan::rings[static_cast<std::size_t>(P::stage(S).input)];
      constexpr int channels = op.in.size(), taps = Streams::taps(S);
      float* const frames = tile.packs(ring.offset);
      float* const window = tile.packs(Plan::windows);
      const int slot = static_cast<int>(tile.moment % ring.frames);
      if constexpr (Plan::fills_ring(S)) std::copy_n(now, channels * L, frames + slot * channels * L);
      for (int k = 0; k < taps && !Plan::has_window(S); ++k) {
        const int back = slot - op.window.padding_width + k * op.window.dilation_width;
        const float* const from = frames + (back < 0 ? back + ring.frames : back) * channels * L;
        for (int c = 0; c < channels; ++c) V::load(from + c * L).store(window + (c * taps + k) * L);
      }
      return window;
    }
  }
  SINTER_INLINE void multiply(int weight, const float* start, const float* x, int rows, int terms, float* y) const {
    product_of_lanes<typename P::ISA, V>(
        tile.parameter(weight), Streams::matrices[static_cast<std::size_t>(weight)].padded(), start, x, rows, terms, y);
  }
  void product() const {
    float* const y = tile.packs(Plan::products);
    const float* const bias = op.with_bias ? tile.parameter(op.with_bias ? op.bias : 0) : nullptr;
    multiply(op.weight, bias, operands(), op.out.size(), Streams::terms(S), y);
    for (int i = 0; i < op.out.size(); ++i) finish(i, V::load(y + i * L));
  }
  void scale() const {
    const float* const w = tile.parameter(op.weight);
    const float* const b = tile.parameter(op.with_bias ? op.bias : op.weight);
    const float* const x = flat_input<Tile, S>(tile);
    for (int i = 0; i < op.in.size(); ++i) {
      const int c = op.window.groups == 1 ? 0 : i;
      finish(i, fn::fma(V(w[c]), V::load(x + i * L), V(op.with_bias ? b[c] : 0)));
    }
  }
  void recur() const {
    using Cell = typename P::Ops::template OpType<first>::Cell;
    constexpr int rows = Streams::rows(op), hidden = op.hidden, h_size = op.h_size();
    constexpr bool projects = op.projected > 0;
    float* const h = tile.packs(Plan::cells[static_cast<std::size_t>(S)]);
    float* const c = h + round_up(h_size, 8) * L;
    float* const a = tile.packs(Plan::products);
    float* const u = a + round_up(rows, 8) * L;
    float* const of_cells = projects ? u + round_up(rows, 8) * L : h;
    const auto bias = [&](int i) { return op.with_bias ? tile.parameter(op.weight + i) : nullptr; };
    multiply(op.weight, bias(2), flat_input<Tile, S>(tile), rows, op.in.width, a);
    multiply(op.weight + 1, bias(3), h, rows, h_size, u);
    for (int j = 0; j < hidden * L; j += L) {
      V k[Cell::kept], of_h[Cell::gates];
      unroll<Cell::kept>([&](int i) SINTER_LAMBDA { k[i] = i < Cell::gates ? V::load(a + i * hidden * L + j) : V(0); });
      unroll<Cell::gates>([&](int i) SINTER_LAMBDA { of_h[i] = V::load(u + i * hidden * L + j); });
      const V before = projects ? V(0) : V::load(h + j), state = Cell::state >= 0 ? V::load(c + j) : V(0);
      Cell::forward(k, of_h, before, state).store(of_cells + j);
      if constexpr (Cell::state >= 0) k[Cell::state].store(c + j);
    }
    if constexpr (projects) multiply(op.weight + op.projection(), nullptr, of_cells, h_size, hidden, h);
    for (int i = 0; i < h_size; ++i) finish(i, V::load(h + i * L));
  }
  const float* value(int v) const { return tile.at(Tile::value(v).begin()); }
  static void take_lane(const float* packs, int lane, int count, float* to) {
    for (int i = 0; i < count; ++i) to[i] = packs[i * L + lane];
  }
  /// The query and the key of each stream, for the stage that attends: the tile reuses their memory before that.
  void keep_operands() const {
    constexpr int queries = op.in.size(), keys = op.second.size();
    for (int lane = 0; lane < tile.rows; ++lane) {
      float* const to = tile.apart(S, lane);
      take_lane(value(op.inputs[0]), lane, queries, to);
      take_lane(value(op.inputs[1]), lane, keys, to + queries);
    }
  }
  /// Attention of one stream after another.
  void attend() const {
    constexpr StreamAttention attention = Streams::attention(S);
    float* const all = tile.packs(Plan::products);
    float* const v = all + Plan::attended_packs(S) * L;
    float* const weights = v + Plan::value_size(S);
    float* const y = weights + attention.padded();
    for (int lane = 0; lane < tile.rows; ++lane) {
      const float* const q = tile.apart(Plan::scores_of(S), lane);
      take_lane(value(op.inputs[Streams::attended(S)]), lane, attention.values(), v);
      host_kernels::attend<typename P::ISA, V>(attention, static_cast<int>(tile.position(lane)), q,
                                               q + attention.heads * attention.key_size, v, tile.apart(S, lane),
                                               weights, y);
      for (int i = 0; i < attention.values(); ++i) all[i * L + lane] = y[i];
    }
    for (int i = 0; i < attention.values(); ++i) finish(i, V::load(all + i * L));
  }
  /// f(number i, that of each stream's position in a table), for each number of a moment.
  SINTER_INLINE void at_positions(const float* table, auto&& f) const {
    constexpr Timing timing = Streams::timing(op.output);
    for (int i = 0; i < op.out.size(); ++i) {
      V number(0);
      for (int lane = 0; lane < L; ++lane) number.set(lane, table[timing.at(i, static_cast<int>(tile.position(lane)))]);
      finish(i, f(i, number));
    }
  }
  void encode() const {
    using F = typename P::Ops::template OpType<first>::Functor;
    constexpr Dims whole = Streams::Whole::op(first).in;
    const float* const x = flat_input<Tile, S>(tile);
    at_positions(F::template numbers<float, whole>(),
                 [&](int i, V number) SINTER_LAMBDA { return F::forward(V::load(x + i * L), number); });
  }
  /// A row of weights for each position, times an input of 1.
  void look_up() const {
    const V one = V::load(flat_input<Tile, S>(tile));
    at_positions(tile.parameter(op.weight), [&](int, V weight) SINTER_LAMBDA { return fn::fma(weight, one, V(0)); });
  }
};

/// All stages on a moment, whose input is in the tile.
template <class Plan>
void lane_stages(const LaneTile<Plan>& tile) {
  unroll<Plan::P::stage_count>([&](auto s) SINTER_LAMBDA { LaneStage<Plan, decltype(s)::value>{tile}.forward(); });
}

/// The initial state of a stream: zeros, and the learned initial states.
template <class Plan>
void reset_lane(const LaneTile<Plan>& tile, std::size_t lane) {
  for (int i = 0; i < Plan::state; ++i) tile.packs(i)[lane] = 0;
  for (int s = 0; s < Plan::P::stage_count; ++s) {
    if (Plan::Streams::attends(s)) std::fill_n(tile.apart(s, static_cast<int>(lane)), Plan::apart_size(s), 0.0f);
    const Op& op = Plan::source(s);
    if (op.kind != OpKind::recurrence) continue;
    for (int which = 0; which < op.learned; ++which) {
      const float* const from = tile.parameter(op.weight + op.first_state() + which);
      const int at = Plan::cells[static_cast<std::size_t>(s)] + (which == 0 ? 0 : round_up(op.h_size(), 8));
      for (int j = 0; j < (which == 0 ? op.h_size() : op.hidden); ++j) tile.packs(at + j)[lane] = from[j];
    }
  }
}

/// Visits the numbers of a stream that pass to `moment` from those before it: of each ring buffer from the oldest frame
/// on, so that their order is the same at every moment; then the states of cells, then keys and values.
template <class Plan, class Number>
void for_each_of_state(Number* numbers, std::uint64_t moment, std::size_t lane, auto visit) {
  const auto number = [&](int pack) -> Number& { return numbers[static_cast<std::size_t>(pack * Plan::L) + lane]; };
  for (int v = 0; v < Plan::P::Ops::value_count; ++v) {
    const auto& ring = Plan::rings[static_cast<std::size_t>(v)];
    const int size = Plan::Streams::numbers(v);
    for (int j = 0; j < ring.frames; ++j) {
      const int slot =
          static_cast<int>((moment + static_cast<std::uint64_t>(j)) % static_cast<std::uint64_t>(ring.frames));
      for (int i = 0; i < size; ++i) visit(number(ring.offset + slot * size + i));
    }
  }
  for (int i = Plan::rings[static_cast<std::size_t>(Plan::P::Ops::value_count)].offset; i < Plan::state; ++i)
    visit(number(i));
  for (int s = 0; s < Plan::P::stage_count; ++s) {
    if (!Plan::Streams::attends(s)) continue;
    const auto size = static_cast<std::size_t>(Plan::apart_size(s));
    Number* const first =
        numbers + static_cast<std::size_t>(Plan::apart[static_cast<std::size_t>(s)]) * Plan::L + lane * size;
    for (std::size_t i = 0; i < size; ++i) visit(first[i]);
  }
}

}  // namespace host_kernels

SINTER_NAMESPACE_END
