// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>

#include "sinter/core/isa.hpp"
#include "sinter/core/pack.hpp"
#include "sinter/model/program.hpp"

SINTER_NAMESPACE_BEGIN

/// What a fused kernel of the host begins with.
enum class Source : unsigned char {
  matmul,       // a product with the whole sample
  convolution,  // a product with windows
  pool,         // a pool that cannot ride
  load,         // nothing: the riders work on a stored value
  row           // a function of the whole sample; nothing rides on it
};

/// A fused kernel: the ops [first, last). Ops behind the first one (all of them, for `load`) ride in its registers.
struct Stage {
  Source source = Source::load;
  int first = 0, last = 0;
  int input = 0, output = 0;    // values
  int pool = -1;                // the pool that rides, if any
  bool skips_channels = false;  // forward, in training, leaves out the channels that a mask drops
  bool sparse = false;          // backward skips the exact zeros of dy
  bool taps_in_lanes = false;   // and takes dW with the taps of a row in the lanes, from the rows of the input

  constexpr int first_rider() const { return source == Source::load ? first : first + 1; }
};

/// The rules of the host: what may ride, and which backward skips zeros.
namespace host_rule {
/// The number of accumulators that leave room for operands.
constexpr int accumulators(int registers) { return registers == 32 ? 20 : 10; }

/// A pool rides in the convolution before it when its windows tile the image and fit in registers.
constexpr bool pool_rides(const Stage& stage, const Op& op) {
  return stage.source == Source::convolution && stage.pool < 0 && op.window.tiles() && op.window.taps() <= 4;
}
/// Exact zeros are skipped when at least three in four are expected. Only per-channel masks may stand between the
/// product and its pool, because the gradient stays pooled.
constexpr double least_zeros = 0.75;
/// Leaving out dropped channels pays when it leaves at most this share of the work: images are turned for it twice.
constexpr double most_work_with_dropped_channels = 0.75;
constexpr int most_channels = 64;  // more would want the channels blocked
}  // namespace host_rule

/// The plan `tile`: one pack of samples goes through forward, loss and backward while it lies in the cache.
/// Activations are [C][H][W] packs, the samples in the lanes. All of it is known at compile time.
template <class Model, class T, class Isa, bool WithInputGradient = false>
struct TilePlan {
  static constexpr bool with_input_gradient = WithInputGradient;
  using Scalar = T;
  using ISA = Isa;
  using Ops = Program<Model>;
  static constexpr int lanes = Isa::vector_bytes / static_cast<int>(sizeof(T));
  static constexpr int wide_lanes = Isa::wide_bytes / static_cast<int>(sizeof(T));
  using V = Pack<T, lanes>;
  using Wide = Pack<T, wide_lanes>;

  static constexpr const Op& op(int i) { return Ops::ops[static_cast<std::size_t>(i)]; }
  static constexpr const Parameter& parameter(int i) { return Ops::parameters[static_cast<std::size_t>(i)]; }
  static constexpr int op_count = Ops::op_count;

 private:
  struct Stages {
    std::array<Stage, op_count + 1> at{};
    int count = 0;
  };
  static constexpr Stages cut() {
    Stages all;
    Stage stage;
    bool open = false;
    auto close = [&] {
      if (open) all.at[static_cast<std::size_t>(all.count++)] = stage;
      open = false;
    };
    for (int i = 0; i < op_count; ++i) {
      const Op& o = op(i);
      const bool element_wise = o.kind == OpKind::map || o.kind == OpKind::mask;
      const bool same_shape = i > 0 && op(i - 1).out == o.in;  // no Flatten in between: riders share positions
      const bool rides = open && stage.source != Source::row && same_shape &&
                         (element_wise || (o.kind == OpKind::pool && host_rule::pool_rides(stage, o)));
      if (!rides) {
        close();
        open = true;
        stage = {};
        stage.first = i;
        stage.input = o.inputs[0];
        stage.source = element_wise             ? Source::load
                       : o.kind == OpKind::pool ? Source::pool
                       : o.kind == OpKind::row  ? Source::row
                       : o.whole                ? Source::matmul
                                                : Source::convolution;
      } else if (o.kind == OpKind::pool) {
        stage.pool = i;
      }
      stage.last = i + 1;
      stage.output = o.output;
    }
    close();
    for (int s = 0; s < all.count; ++s) {
      choose_forward(all.at[static_cast<std::size_t>(s)]);
      choose_backward(all.at[static_cast<std::size_t>(s)]);
    }
    return all;
  }
  static constexpr void choose_forward(Stage& stage) {
    if (stage.source != Source::convolution || stage.last == stage.first + 1) return;
    const Op& product = op(stage.first);
    const Op& rider = op(stage.first + 1);
    if (rider.kind != OpKind::mask || !rider.per_channel || product.window.stride_width != 1) return;
    // Image by image the lanes hold the pixels of a row, and its last pack is only partly full.
    const double full = static_cast<double>(product.out.width) / round_up(product.out.width, lanes);
    stage.skips_channels = (1 - rider.probability) / full <= host_rule::most_work_with_dropped_channels &&
                           (stage.pool < 0 || op(stage.pool).window.width <= 2) && product.window.groups == 1;
  }
  static constexpr void choose_backward(Stage& stage) {
    if (stage.source != Source::convolution || op(stage.first).window.groups != 1) return;
    double non_zeros = 1;
    bool stays_pooled = true;
    for (int i = stage.first_rider(); i < stage.last; ++i) {
      const Op& o = op(i);
      non_zeros *= 1 - o.zeros;
      const bool below_pool = stage.pool >= 0 && i < stage.pool;
      if (below_pool && !(o.kind == OpKind::mask && o.per_channel)) stays_pooled = false;
      if (o.kind == OpKind::pool && o.average) stays_pooled = false;
    }
    const Op& product = op(stage.first);
    stage.sparse =
        stays_pooled && 1 - non_zeros >= host_rule::least_zeros && product.in.channels <= host_rule::most_channels;
    stage.taps_in_lanes = stage.sparse && stage.input == 0 && !with_input_gradient && product.window.width <= lanes &&
                          product.window.dilation_width == 1 &&
                          product.in.channels * product.window.height <= host_rule::accumulators(Isa::registers) &&
                          product.window.padding_height == 0 && product.window.padding_width == 0;
  }

 public:
  static constexpr Stages stages = cut();
  static constexpr int stage_count = stages.count;
  static constexpr const Stage& stage(int s) { return stages.at[static_cast<std::size_t>(s)]; }

  /// What source a stage's product makes, before anything rides on it.
  static constexpr Dims source_dims(int s) {
    return stage(s).source == Source::load ? op(stage(s).first).in : op(stage(s).first).out;
  }
  static constexpr Dims output_dims(int s) { return op(stage(s).last - 1).out; }
  /// The resolution at which the gradient of a stage is kept: pooled, where zeros are skipped.
  static constexpr Dims gradient_dims(int s) {
    return stage(s).sparse && stage(s).pool >= 0 ? op(stage(s).pool).out : source_dims(s);
  }
  static constexpr bool saves(int s, int i) {
    // The last op's output is the stage's own; an op in between keeps what its backward reads.
    return op(i).kind == OpKind::map && !(op(i).backward_reads_output && i == stage(s).last - 1);
  }

  /// Packs in a cache line.
  static constexpr int line = 64 / (lanes * static_cast<int>(sizeof(T))) > 0
                                  ? 64 / (lanes * static_cast<int>(sizeof(T)))
                                  : 1;

  // What a convolution that skips zeros turns its operands into: channels last, padded to whole wide registers.
  static constexpr int padded_channels(int s) { return round_up(op(stage(s).first).in.channels, wide_lanes); }
  static constexpr Dims bordered(int s) {
    const Op& o = op(stage(s).first);
    return image(o.in.channels, o.in.height + 2 * o.window.padding_height, o.in.width + 2 * o.window.padding_width);
  }
  /// Elements for a weight gradient of one output channel.
  static constexpr int packed_row(int s) {
    const Op& o = op(stage(s).first);
    return stage(s).taps_in_lanes ? o.in.channels * o.window.height * lanes : o.window.taps() * padded_channels(s);
  }
  static constexpr int packed_size(int s) { return divide_up(op(stage(s).first).out.channels * packed_row(s), lanes); }
  /// Room for the non-zeros of one channel of one sample.
  static constexpr int list_length(int s) { return round_up(gradient_dims(s).pixels(), lanes) + lanes; }
  static constexpr int turned_size(int s) {
    return stage(s).taps_in_lanes ? 0 : round_up(bordered(s).pixels() * padded_channels(s), line);
  }
  /// In packs.
  static constexpr int forward_scratch(int s) {
    if (!stage(s).skips_channels) return 0;
    const Dims in = bordered(s), out = op(stage(s).first).out;
    return round_up(in.size(), 16) + 64 + out.channels * out.height * round_up(out.width, lanes);
  }
  static constexpr int backward_scratch(int s) {
    const Op& o = op(stage(s).first);
    if (stage(s).source == Source::matmul) return round_up(o.in.size(), 16) + 16;
    if (stage(s).source == Source::pool) return o.in.size();
    if (!stage(s).sparse) return 0;
    return 2 * turned_size(s) + o.out.channels * (2 * list_length(s) + 1) + 2 * line;
  }
};

SINTER_NAMESPACE_END
