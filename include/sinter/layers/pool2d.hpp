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

  static constexpr bool number_too_many = layer_option::more_numbers(1, Options...);
  static constexpr const char* name = Average ? "AvgPool2d" : "MaxPool2d";
  using Needs = needs::an_image_at_least_as_large_as_the_window_and_channels_divisible_by_groups;
  using Ops = OpList<Pool<window, Average>>;
  static constexpr bool accepts(Dims in) { return in.rank == 3 && window.fits(in); }

  static constexpr bool one_window =
      number_too_many ||
      layer_option::count<int>(Options...) + layer_option::count<layer_option::KernelTag>(Options...) == 1;
  static constexpr bool known =
      number_too_many ||
      layer_option::only<int, layer_option::KernelTag, layer_option::StrideTag, layer_option::PaddingTag>(Options...);
  static constexpr bool positive = layer_option::sound(layer_option::window_as_given(false, Options...));
  static constexpr bool reached =
      2 * window.padding_height <= window.height && 2 * window.padding_width <= window.width;
  static constexpr bool countable = window.height <= 65536 / window.width;  // a winner is kept in at most two bytes
  static constexpr bool valid = one_window && known && positive && reached && countable;
};

// Structs, because nvcc 13.0 does not declare the type of an option that goes through an alias template.

/// The largest element of each window of an image: see Pool2d.
template <auto... Options>
struct MaxPool2d : Pool2d<false, Options...> {
  static constexpr bool check() {
    static_assert(MaxPool2d::countable, "sinter: the window of a pool may have at most 65,536 numbers");
    static_assert(MaxPool2d::one_window,
                  "sinter: a pool needs its window once: MaxPool2d<2> or MaxPool2d<Kernel<2, 3>>");
    static_assert(MaxPool2d::known, "sinter: MaxPool2d takes Kernel, Stride and Padding, each at most once");
    static_assert(
        MaxPool2d::positive,
        "sinter: the numbers of a pool are 1 or more, and its padding is not negative; none is above 16,777,216, "
        "nor is the reach of a window");
    static_assert(MaxPool2d::reached, "sinter: the padding of a pool may be at most half its window");
    return true;
  }
};
/// The mean of each window of an image: see Pool2d.
template <auto... Options>
struct AvgPool2d : Pool2d<true, Options...> {
  static constexpr bool check() {
    static_assert(AvgPool2d::countable, "sinter: the window of a pool may have at most 65,536 numbers");
    static_assert(AvgPool2d::one_window,
                  "sinter: a pool needs its window once: AvgPool2d<2> or AvgPool2d<Kernel<2, 3>>");
    static_assert(AvgPool2d::known, "sinter: AvgPool2d takes Kernel, Stride and Padding, each at most once");
    static_assert(
        AvgPool2d::positive,
        "sinter: the numbers of a pool are 1 or more, and its padding is not negative; none is above 16,777,216, "
        "nor is the reach of a window");
    static_assert(AvgPool2d::reached, "sinter: the padding of a pool may be at most half its window");
    return true;
  }
};

SINTER_NAMESPACE_END

namespace sinter {
using internal::AvgPool2d;
using internal::MaxPool2d;
}  // namespace sinter
