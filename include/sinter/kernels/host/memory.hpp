// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>

#include "sinter/kernels/host/plan.hpp"

SINTER_NAMESPACE_BEGIN

namespace host_kernels {

/// Where something lies in the memory of a tile, in packs. An image may have a border of zeros around it, so that the
/// padding of the convolution that reads it costs nothing.
struct Place {
  int offset = -1;
  Dims dims{};
  int border_height = 0, border_width = 0;

  constexpr bool used() const { return offset >= 0; }
  constexpr int stride_y() const { return dims.width + 2 * border_width; }
  constexpr int stride_channel() const { return (dims.height + 2 * border_height) * stride_y(); }
  constexpr int size() const { return dims.channels * stride_channel(); }
  constexpr int at(int channel, int y, int x) const {
    return offset + channel * stride_channel() + (y + border_height) * stride_y() + x + border_width;
  }
};

/// What lies where in the memory of a tile. Offsets are in packs; a stage's or an op's entry is unused (-1) where it
/// has nothing to keep.
template <int Count>
struct TileMemory {
  Place input, input_gradient;
  std::array<Place, Count> output{};         // of each stage
  std::array<Place, Count> gradient{};       // of each stage's source
  std::array<Place, Count> saved{};          // of each op: what its backward reads
  std::array<Place, Count> argmax{};         // of each op: a byte for each lane; windows of over 256 have a second one
  std::array<Place, Count> mask{};           // of each op
  std::array<int, Count> packed_weight{};    // of each stage that skips zeros: its weights as it reads them
  std::array<int, Count> packed_gradient{};  // and dW as it adds it up
  int rows = 0;                              // the samples of the tile as rows, for dW of the first product
  int row_stride = 0;                        // in elements
  int scratch = 0;                           // for the kernel at work
  int packs = 0;                             // in all
};

/// Lays out the memory of a tile. Training keeps what backward reads. What only the next stage reads (outputs in
/// inference, gradients in training) takes turns in two shared places, unless parts of it must stay zero: a border, or
/// the pixels that no window of a pool covers.
template <class Plan>
class Layout {
  static constexpr int count = Plan::op_count + 1;

 public:
  static constexpr TileMemory<count> lay_out(bool training) {
    Layout l;
    l.training_ = training;
    l.run();
    return l.memory_;
  }

 private:
  TileMemory<count> memory_{};
  bool training_ = false;
  int next_ = 0;
  int shared_[2] = {};  // where the shared places begin
  int shared_size_[2] = {};

  static constexpr std::size_t index(int i) { return static_cast<std::size_t>(i); }

  constexpr Place place(Dims dims, int border_height = 0, int border_width = 0) {
    Place p{next_, dims, border_height, border_width};
    next_ += p.size();
    return p;
  }
  /// Packs that start on a cache line.
  constexpr int block(int packs) {
    next_ = round_up(next_, Plan::line);
    const int offset = next_;
    next_ += packs;
    return offset;
  }
  /// The border that the product of stage s wants around what it reads.
  static constexpr Window border(int s) {
    return s < Plan::stage_count && Plan::stage(s).source == Source::convolution ? Plan::op(Plan::stage(s).first).window
                                                                                 : Window{};
  }
  static constexpr Place output(int s) {
    return {-1, Plan::output_dims(s), border(s + 1).padding_height, border(s + 1).padding_width};
  }
  static constexpr Place gradient(int s) {
    const Window w = border(s);
    const bool dense = Plan::stage(s).source == Source::convolution && !Plan::stage(s).sparse;
    return {-1, Plan::gradient_dims(s), 0, dense ? std::max(0, w.reach_width() - 1 - w.padding_width) : 0};
  }
  constexpr bool output_is_shared(int s) const {
    return !training_ && output(s).border_height == 0 && output(s).border_width == 0;
  }
  static constexpr bool gradient_is_shared(int s) {
    const int pool = Plan::stage(s).pool;
    bool covered = true;
    if (pool >= 0 && !Plan::stage(s).sparse) {
      const Op& o = Plan::op(pool);
      covered = o.in.height % o.window.height == 0 && o.in.width % o.window.width == 0;
    }
    return covered && gradient(s).border_width == 0;
  }

  constexpr void reserve_shared() {
    for (int s = 0; s < Plan::stage_count; ++s) {
      int& size = shared_size_[s % 2];
      if (output_is_shared(s)) size = std::max(size, output(s).size());
      if (training_ && gradient_is_shared(s)) size = std::max(size, gradient(s).size());
    }
    for (int i = 0; i < 2; ++i) shared_[i] = block(shared_size_[i]);
  }
  constexpr Place put(Place p, bool shared, int s) {
    p.offset = shared ? shared_[s % 2] : block(p.size());
    return p;
  }

  constexpr void run() {
    memory_.input = place(Plan::Ops::input, border(0).padding_height, border(0).padding_width);
    memory_.row_stride = round_up(Plan::Ops::input.size(), 16) + 16;
    memory_.rows = block(memory_.row_stride);
    reserve_shared();
    for (int s = 0; s < Plan::stage_count; ++s) {
      memory_.output[index(s)] = put(output(s), output_is_shared(s), s);
      if (!training_) continue;
      memory_.gradient[index(s)] = put(gradient(s), gradient_is_shared(s), s);
      for (int i = Plan::stage(s).first; i < Plan::stage(s).last; ++i) keep_for_backward(s, i);
      if (Plan::stage(s).sparse) {
        memory_.packed_weight[index(s)] = block(Plan::packed_size(s));
        memory_.packed_gradient[index(s)] = block(Plan::packed_size(s));
      }
    }
    if (training_ && Plan::with_input_gradient) memory_.input_gradient = place(Plan::Ops::input);
    int scratch = training_ ? 3 * Plan::Ops::output.size() : 0;  // of the loss
    for (int s = 0; training_ && s < Plan::stage_count; ++s)
      scratch = std::max({scratch, Plan::forward_scratch(s), Plan::backward_scratch(s)});
    memory_.scratch = block(scratch);
    memory_.packs = next_ + 2 * Plan::line;
  }
  constexpr void keep_for_backward(int s, int i) {
    const Op& o = Plan::op(i);
    if (o.kind == OpKind::mask) memory_.mask[index(i)] = place(features(o.per_channel ? o.in.channels : o.in.size()));
    if (Plan::saves(s, i)) memory_.saved[index(i)] = place(o.in);
    if (o.kind == OpKind::pool && !o.average)
      memory_.argmax[index(i)] = {block(divide_up(o.out.size() * (o.window.taps() > 256 ? 2 : 1),
                                                  static_cast<int>(sizeof(typename Plan::Scalar)))),
                                  o.out};
  }
};

}  // namespace host_kernels

SINTER_NAMESPACE_END
