// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "sinter/kernels/gpu/record.hpp"

SINTER_NAMESPACE_BEGIN

namespace gpu_kernels {

/// The largest number up to `most` that divides n.
SINTER_HOST_DEVICE constexpr int divisor(int n, int most) {
  for (int d = most; d > 1; --d)
    if (n % d == 0) return d;
  return 1;
}

inline constexpr int least_items = 256;

/// How many of n equal outputs an item may have, at most `most`, so that at least `least_items` items remain; `others`
/// is the number of other items. What an item does for each output is the same in any block.
SINTER_HOST_DEVICE constexpr int block_of(int n, int most, long others) {
  int d = most;
  while (d > 1 && (n % d != 0 || others * (n / d) < least_items)) --d;
  return d;
}

/// An op without its name: that of a functor may be an array, which device code does not have.
constexpr Op nameless(Op op) {
  op.name = "";
  return op;
}

/// An op, and its sizes.
template <class Model, int Index, bool Cut = true>
struct OpConstants {
  static constexpr Op op = nameless(Stages<Model>::op(Index));
  static constexpr int pixels = op.in.pixels();
  static constexpr int decisions = op.per_channel ? op.in.channels : op.in.size(), eights = divide_up(decisions, 8);
  static constexpr std::uint32_t stream = static_cast<std::uint32_t>(op.stream());
  // Of an add that rides: which input it reads from memory.
  static constexpr int other = 1 - Stages<Model, Cut>::main_input(Index);
};

/// The two ops of a batch normalisation, `Index` being normalize: where their parameters and buffers are.
template <class Model, int Index>
struct NormalizeConstants {
  using Ops = Program<Model>;
  static constexpr Op op = Stages<Model>::op(Index);
  static constexpr int gather = Stages<Model>::value(op.inputs[1]).producer, pixels = op.in.pixels();
  static constexpr Op statistics = Stages<Model>::op(gather);
  static constexpr bool weighted = op.weight >= 0, biased = op.bias >= 0;
  static constexpr int offset_of(int parameter) {
    return parameter < 0 ? 0 : Ops::parameters[static_cast<std::size_t>(parameter)].offset;
  }
  static constexpr int weight = offset_of(op.weight), bias = offset_of(op.bias);
  static constexpr int running_mean = Ops::buffers[static_cast<std::size_t>(statistics.mean)].offset,
                       running_variance = Ops::buffers[static_cast<std::size_t>(statistics.variance)].offset;
  static constexpr double epsilon = statistics.epsilon, momentum = statistics.momentum;
  /// Whether the same buffers have followed this batch before.
  static constexpr bool follows_again = [] {
    for (int i = 0; i < gather; ++i)
      if (Stages<Model>::op(i).kind == OpKind::statistics && Stages<Model>::op(i).mean == statistics.mean) return true;
    return false;
  }();
};

/// Input `K` of op `Index`: what it reads, and its position in the order of gradients.
template <class Model, int Index, int K>
struct ReadConstants {
  using GradientOrder = typename Stages<Model>::GradientOrder;
  static constexpr Op op = Stages<Model>::op(Index);
  static constexpr int value = op.inputs[K], number = GradientOrder::read(Index, K), turn = GradientOrder::turn(number);
  static constexpr bool last = turn + 1 == GradientOrder::count(value), learned = Stages<Model>::learned(value);
  /// The number of the read whose gradient is number `Turn` in the order.
  template <int Turn>
  static constexpr int in_turn = GradientOrder::in_turn(value, Turn);
  // Of a concat: how many numbers it takes, and where they begin among those of all.
  static constexpr int size = op.seen(K).size(), begin = op.first_channel(K) * op.in.pixels();
};

/// The sizes of a stage as plain constants, which device code may read. A product without a window is one of 1 x 1
/// on an image of one pixel.
template <class Model, int Number, bool Cut = true>
struct Geometry {
  using S = Stages<Model, Cut>;
  static constexpr Stage stage = S::at(Number);
  static constexpr Op source = S::op(stage.first);
  static constexpr Window window = source.window;
  static constexpr bool whole = stage.source == Source::matmul;

  static constexpr int inputs = source.in.size();
  static constexpr int in_height = source.in.height, in_width = source.in.width, in_pixels = source.in.pixels();
  static constexpr int channels = source.out.channels;  // of the product
  static constexpr int height = source.out.height, width = source.out.width, pixels = source.out.pixels();

  // The windows of the pool that rides; 1 x 1 without one.
  static constexpr int pool_height = stage.pool < 0 ? 1 : S::op(stage.pool < 0 ? 0 : stage.pool).window.height;
  static constexpr int pool_width = stage.pool < 0 ? 1 : S::op(stage.pool < 0 ? 0 : stage.pool).window.width;
  static constexpr int positions = pool_height * pool_width;
  static constexpr int pooled_height = height / pool_height, pooled_width = width / pool_width;
  static constexpr int pooled_pixels = pooled_height * pooled_width;
  static constexpr int outputs = channels * pooled_pixels;  // of the stage
  static constexpr int plane = S::gradient_plane(Number), out_plane = S::output_plane(Number),
                       in_plane = S::input_plane(Number), channel_mask = S::channel_mask(Number);

  static constexpr int kernel_height = window.height, kernel_width = window.width, taps = window.taps();
  static constexpr int stride_height = window.stride_height, stride_width = window.stride_width;
  static constexpr int padding_height = window.padding_height, padding_width = window.padding_width;
  static constexpr int dilation_height = window.dilation_height, dilation_width = window.dilation_width;
  static constexpr int groups = window.groups;
  static constexpr int group_inputs = source.in.channels / groups, group_outputs = channels / groups;
  static constexpr bool padded = padding_height > 0 || padding_width > 0;

  static constexpr bool uneven = source.uneven();  // a pool whose windows differ in size

  static constexpr bool is_product = stage.is_product();
  static constexpr bool with_weight = source.weight >= 0,
                        with_bias = with_weight && source.with_bias && source.bias >= 0;
  static constexpr std::size_t weight_number = static_cast<std::size_t>(with_weight ? source.weight : 0);
  static constexpr int weight = with_weight ? S::Ops::parameters[weight_number].offset : 0,
                       weight_size = with_weight ? S::Ops::parameters[weight_number].size : 0;
  static constexpr int bias =
      with_bias ? S::Ops::parameters[static_cast<std::size_t>(with_bias ? source.bias : 0)].offset : 0;
  static constexpr bool gives_again = S::Cut::gives_again(Number);  // to weights that a later stage uses too
  static constexpr int fan_in = source.fan_in();
  static constexpr int reach_height = window.reach_height(), reach_width = window.reach_width();
  static constexpr int in_channels = source.in.channels;

  static constexpr int first_rider = stage.first_rider(), last = stage.last;

  static constexpr int parts = source.input_count, largest_part = [] {  // of a concat
    int size = 0;
    for (int k = 0; k < source.input_count; ++k) size = source.seen(k).size() > size ? source.seen(k).size() : size;
    return size;
  }();
};

/// The first and the last window of a product or a pool, in one direction, that reach a position of the input; of
/// `outputs` windows.
struct Reach {
  int begin, end;
  SINTER_FN Reach(int place, int padding, int reach, int stride, int outputs)
      : begin(place + padding - reach + stride), end((place + padding) / stride + 1) {
    begin = begin > 0 ? begin / stride : 0;
    end = end < outputs ? end : outputs;
  }
};

}  // namespace gpu_kernels

SINTER_NAMESPACE_END
