// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/layers/layer.hpp"
#include "sinter/layers/options.hpp"
#include "sinter/ops/pool.hpp"

SINTER_NAMESPACE_BEGIN

/// The largest element (MaxPool2d) or the mean (AvgPool2d) of each window, channel by channel.
/// x [B, C, H, W]  y [B, C, H', W'], H' = (H + 2 padding - kH) / stride + 1, rounded down. The stride is the window
/// unless given. Options: the window as a number or Kernel<kH, kW>, Stride, Padding.
template <bool Average, auto... Options>
struct Pool2d {
  static constexpr Window window = layer_option::window(false, Options...);

  static constexpr const char* name = Average ? "AvgPool2d" : "MaxPool2d";
  using Needs = needs::an_image_at_least_as_large_as_the_window_and_channels_divisible_by_groups;
  using Ops = OpList<Pool<window, Average>>;
  static constexpr bool accepts(Dims in) { return in.rank == 3 && window.fits(in); }

 private:  // checked last: clang reads no further in a class that it refuses
  static constexpr bool one_window =
      layer_option::count<int>(Options...) + layer_option::count<layer_option::KernelTag>(Options...) == 1;
  static constexpr bool known =
      layer_option::only<int, layer_option::KernelTag, layer_option::StrideTag, layer_option::PaddingTag>(Options...);
  static constexpr bool positive = layer_option::positive(layer_option::window_as_given(false, Options...));
  static constexpr bool reached =
      2 * window.padding_height <= window.height && 2 * window.padding_width <= window.width;
  static constexpr bool countable = window.taps() <= 65536;  // a winner is kept in at most two bytes
  static_assert(countable, "sinter: the window of a pool may have at most 65,536 numbers");
  static_assert(one_window, "sinter: a pool needs its window once: MaxPool2d<2> or MaxPool2d<Kernel<2, 3>>");
  static_assert(known, "sinter: MaxPool2d and AvgPool2d take Kernel, Stride and Padding, each at most once");
  static_assert(positive, "sinter: the numbers of a pool are 1 or more, and its padding is not negative");
  static_assert(reached, "sinter: the padding of a pool may be at most half its window");
};
template <auto... Options>
using MaxPool2d = Pool2d<false, Options...>;
template <auto... Options>
using AvgPool2d = Pool2d<true, Options...>;

SINTER_NAMESPACE_END
