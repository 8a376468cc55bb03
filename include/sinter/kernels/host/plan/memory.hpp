// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>

#include "sinter/kernels/host/plan/place.hpp"
#include "sinter/kernels/host/plan/scratch.hpp"
#include "sinter/plan/lifetimes.hpp"

SINTER_NAMESPACE_BEGIN

namespace host_kernels {

/// The layout of a tile's memory. Offsets are in packs; an unused entry is -1.
template <class Plan>
struct TileMemory {
  static constexpr std::size_t stages = static_cast<std::size_t>(Plan::stage_count + 1),
                               ops = static_cast<std::size_t>(Plan::op_count + 1);

  std::array<Place, ops> value{};        // the input, and what stages store
  std::array<Place, stages> gradient{};  // of each stage's source
  std::array<Place, static_cast<std::size_t>(Plan::Ops::read_count + 1)> read_gradient{};  // by a reader
  std::array<Place, ops> saved{};   // of each op: the operands of its backward
  std::array<Place, ops> argmax{};  // of each op: a byte for each lane; windows of over 256 have a second one
  std::array<Place, ops> mask{};    // of each op
  std::array<Place, stages> packed_gradient{};  // of each stage that skips zeros: dW as it adds it up
  Place input_gradient;
  Place rows;          // the samples of the tile as rows, for dW of the first product
  int row_stride = 0;  // in elements
  Place scratch;       // for the current kernel
  int packs = 0;       // in all
};

/// Lays out the memory of a tile by lifetimes: stage s runs at the moment s, the loss is computed after the last one,
/// and backward runs the stages in reverse from there. Memory that must stay zero (in training a border, or the pixels
/// that no window of a pool covers), and memory that a thread keeps from tile to tile, is not shared.
template <class Plan>
class Layout {
  using Memory = TileMemory<Plan>;
  using Ops = typename Plan::Ops;
  using GradientOrder = typename Plan::GradientOrder;
  static constexpr int end = 2 * Plan::stage_count + 1;

 public:
  static constexpr Memory lay_out(bool training) {
    Layout l;
    l.training_ = training;
    l.run();
    return l.memory_;
  }

 private:
  Memory memory_{};
  bool training_ = false;
  int count_ = 0;
  static constexpr int most = 6 * Plan::op_count + Ops::read_count + 8;
  Lifetime lifetime_[most]{};
  Place* place_[most]{};
  int same_[most]{};  // whose offset it has

  struct Bordered {
    int lifetime, first_use, last_use;  // from its first use to its last
  };
  Bordered bordered_[most]{};
  int bordered_count_ = 0;

  static constexpr std::size_t index(int i) { return static_cast<std::size_t>(i); }
  static constexpr int backward(int s) { return GradientOrder::backward(s); }

  constexpr void need(Place& place, int first_use, int last_use) {
    lifetime_[count_] = {place.size(), first_use, last_use, 0};
    same_[count_] = count_;
    place_[count_++] = &place;
  }
  constexpr void need(Place& place, Dims dims, int first_use, int last_use) {
    place.dims = dims;
    need(place, first_use, last_use);
  }
  /// In training a border of zeros is never written: a place of the same shape may be used again, before or after all
  /// that it has been used for, and is shared with nothing else. In inference all memory is shared, and a border is
  /// zeroed each time: see begin_value.
  constexpr void need_bordered(Place& place, int first_use, int last_use) {
    for (int i = 0; i < bordered_count_; ++i) {
      Bordered& other = bordered_[i];
      const Place& its = *place_[other.lifetime];
      if (its.dims != place.dims || its.border_height != place.border_height ||
          its.border_width != place.border_width || (first_use <= other.last_use && other.first_use <= last_use))
        continue;
      other.first_use = std::min(other.first_use, first_use);
      other.last_use = std::max(other.last_use, last_use);
      same_[count_] = other.lifetime;
      place_[count_++] = &place;
      return;
    }
    bordered_[bordered_count_++] = {count_, first_use, last_use};
    need(place, -1, end);
  }
  constexpr void keep(Place& place, int packs) { need(place, features(packs), -1, end); }

  constexpr void need_value(int value, int first_use) {
    const Window edge = Plan::edge(value);
    int last_use = first_use;
    if (Ops::values[index(value)].of_batch) return;
    for (int r = 0; r < GradientOrder::count(value); ++r) {
      const int i = Ops::readers[index(Ops::values[index(value)].first_read + r)], s = Plan::Cut::of_op(i);
      const bool again = training_ && kind_of(source_of(Plan::op(i), true)).reads_input_again;
      last_use = std::max(last_use, again ? backward(s) : s);
      if (training_ && Plan::layered && Plan::op(i).kind == OpKind::product) last_use = end;
    }
    if (value == Ops::output_value) last_use = std::max(last_use, training_ ? Plan::stage_count : end);
    if (training_ && first_use >= 0) {
      const Op& last = Plan::op(Plan::stage(first_use).last - 1);
      if (kind_of(Plan::stage(first_use).source).reads_output_again ||
          (last.kind == OpKind::map && last.backward_reads_output))
        last_use = std::max(last_use, backward(first_use));
    }
    Place& place = memory_.value[index(value)];
    place = {-1, Plan::value_dims(value), edge.padding_height, edge.padding_width};
    place.bordered() && training_ ? need_bordered(place, first_use, last_use) : need(place, first_use, last_use);
  }
  /// A dense convolution reads columns around dy, which are zero; a transposed one reads dy as an image with padding.
  constexpr void need_gradient(int s) {
    const Stage& stage = Plan::stage(s);
    const Window w = Plan::source(s).window;
    Place& place = memory_.gradient[index(s)];
    place = {-1, Plan::gradient_dims(s)};
    if (stage.source == Source::convolution && !Plan::sparse(s))
      place.border_width = Plan::border_of_results(Plan::source(s));
    if (stage.source == Source::transposed) place = {-1, place.dims, w.padding_height, w.padding_width};
    const Op& pool = Plan::op(std::max(stage.pool, 0));
    const bool covered = stage.pool < 0 || Plan::sparse(s) ||
                         (pool.in.height % pool.window.height == 0 && pool.in.width % pool.window.width == 0);
    const int first_use = GradientOrder::taken(stage.output);
    if (Plan::layered && stage.source == Source::matmul)
      need(place, first_use, end);
    else if (!covered)
      need(place, -1, end);
    else
      place.bordered() ? need_bordered(place, first_use, backward(s)) : need(place, first_use, backward(s));
  }
  /// Gradients that wait until the last reader adds them up.
  constexpr void need_read_gradients(int value) {
    for (int turn = 0; turn + 1 < GradientOrder::count(value); ++turn) {
      const int read = GradientOrder::in_turn(value, turn);
      need(memory_.read_gradient[index(read)], Plan::value_dims(value), GradientOrder::given_at(read),
           GradientOrder::taken(value));
    }
  }
  constexpr void need_for_backward(int s, int i) {
    const Op& o = Plan::op(i);
    if (o.kind == OpKind::mask)
      need(memory_.mask[index(i)], features(o.per_channel ? o.in.channels : o.in.size()), -1, backward(s));
    if (Plan::saves(s, i)) need(memory_.saved[index(i)], o.in, s, backward(s));
    if (o.kind == OpKind::recurrence)
      need(memory_.saved[index(i)], features(o.directions * RecurrenceKept(o).size), s, backward(s));
    if (o.kind == OpKind::group_normalize) need(memory_.saved[index(i)], features(3 * o.groups), s, backward(s));
    if (o.kind == OpKind::pool && !o.average) {
      const int bytes = o.out.size() * (o.window.taps() > 256 ? 2 : 1);
      need(memory_.argmax[index(i)], features(divide_up(bytes, static_cast<int>(sizeof(typename Plan::Scalar)))), s,
           backward(s));
    }
  }

  constexpr void run() {
    need_value(0, -1);
    memory_.row_stride = round_up(Ops::input.size(), 16) + 16;
    if (Plan::layered)
      need(memory_.rows, features(memory_.row_stride), -1, -1);
    else
      keep(memory_.rows, memory_.row_stride);
    int scratch = training_ ? 3 * Ops::output.size() : 0;  // of the loss
    for (int s = 0; s < Plan::stage_count; ++s) {
      need_value(Plan::stage(s).output, s);
      scratch = std::max(scratch, forward_scratch<Plan>(s, training_));
      if (!training_) continue;
      scratch = std::max(scratch, backward_scratch<Plan>(s));
      if (Plan::stage(s).source == Source::statistics) continue;
      need_gradient(s);
      need_read_gradients(Plan::stage(s).output);
      for (int i = Plan::stage(s).first; i < Plan::stage(s).last; ++i) need_for_backward(s, i);
      if (Plan::sparse(s)) keep(memory_.packed_gradient[index(s)], SparseLayout<Plan>::packed_size(s));
    }
    if (training_ && Plan::with_input_gradient) {
      need_read_gradients(0);
      need(memory_.input_gradient, Ops::input, Plan::stage_count, end);
    }
    keep(memory_.scratch, scratch);
    memory_.packs = place_by_lifetime(lifetime_, count_, Plan::line) + 2 * Plan::line;
    for (int i = 0; i < count_; ++i) place_[i]->offset = lifetime_[same_[i]].offset;
  }
};

}  // namespace host_kernels

SINTER_NAMESPACE_END
