// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/layers/layer.hpp"
#include "sinter/layers/options.hpp"
#include "sinter/ops/pool.hpp"

SINTER_NAMESPACE_BEGIN

namespace needs {
struct a_series_of_channels_and_a_length_with_windows_of_at_most_65536_numbers;
}  // namespace needs

/// The largest element (MaxPool1d) or the mean (AvgPool1d) of each window along a series, channel by channel.
/// x [B, C, L]  y [B, C, L'], L' = (L + 2 padding - k) / stride + 1, rounded down. The stride is the window unless
/// given. Options: the window as a number, Stride, Padding.
template <bool Average, auto... Options>
struct Pool1d {
  static constexpr Window window = layer_option::series_window(false, Options...);

  static constexpr bool number_too_many = layer_option::more_numbers(1, Options...);
  static constexpr const char* name = Average ? "AvgPool1d" : "MaxPool1d";
  using Needs =
      needs::a_series_of_channels_and_a_length_at_least_as_long_as_the_window_and_channels_divisible_by_groups;
  using Ops = OpList<Pool<window, Average>>;
  static constexpr bool accepts(Dims in) { return in.rank == 2 && window.fits(in); }

  static constexpr bool one_window = number_too_many || layer_option::count<int>(Options...) == 1;
  static constexpr bool known = number_too_many || !one_window ||
                                layer_option::only<int, layer_option::StrideTag, layer_option::PaddingTag>(Options...);
  static constexpr bool positive = layer_option::sound(layer_option::series_window_as_given(false, Options...));
  static constexpr bool one_number = layer_option::one_number(Options...);
  static constexpr bool reached = 2 * window.padding_width <= window.width;
  static constexpr bool countable = window.taps() <= 65536;  // a winner is kept in at most two bytes
  static constexpr bool valid = one_window && known && positive && one_number && reached && countable;
};

// Structs, because nvcc 13.0 does not declare the type of an option that goes through an alias template.

/// The largest element of each window along a series: see Pool1d.
template <auto... Options>
struct MaxPool1d : Pool1d<false, Options...> {
  static constexpr bool check() {
    static_assert(MaxPool1d::countable, "sinter: the window of a pool may have at most 65,536 numbers");
    static_assert(MaxPool1d::one_window, "sinter: a pool needs its window once, as a number: MaxPool1d<2>");
    static_assert(MaxPool1d::known, "sinter: MaxPool1d takes Stride and Padding, each at most once");
    static_assert(
        MaxPool1d::positive,
        "sinter: the numbers of a pool are 1 or more, and its padding is not negative; none is above 16,777,216, "
        "nor is the reach of a window");
    static_assert(MaxPool1d::one_number, "sinter: the options of MaxPool1d are one number each: Stride<2>");
    static_assert(MaxPool1d::reached, "sinter: the padding of a pool may be at most half its window");
    return true;
  }
};
/// The mean of each window along a series: see Pool1d.
template <auto... Options>
struct AvgPool1d : Pool1d<true, Options...> {
  static constexpr bool check() {
    static_assert(AvgPool1d::countable, "sinter: the window of a pool may have at most 65,536 numbers");
    static_assert(AvgPool1d::one_window, "sinter: a pool needs its window once, as a number: AvgPool1d<2>");
    static_assert(AvgPool1d::known, "sinter: AvgPool1d takes Stride and Padding, each at most once");
    static_assert(
        AvgPool1d::positive,
        "sinter: the numbers of a pool are 1 or more, and its padding is not negative; none is above 16,777,216, "
        "nor is the reach of a window");
    static_assert(AvgPool1d::one_number, "sinter: the options of AvgPool1d are one number each: Stride<2>");
    static_assert(AvgPool1d::reached, "sinter: the padding of a pool may be at most half its window");
    return true;
  }
};

/// The mean of each of Length regions of a series, see AdaptiveAvgPool2d.   x [B, C, L]  y [B, C, Length]
template <int Length>
struct AdaptiveAvgPool1d {
  static constexpr const char* name = "AdaptiveAvgPool1d";
  using Needs = needs::a_series_of_channels_and_a_length;
  using Ops = OpList<AdaptivePool<1, Length>>;
  static constexpr bool accepts(Dims in) { return in.rank == 2; }

  static constexpr bool valid = Length > 0;
  static constexpr bool check() {
    static_assert(valid, "sinter: the length of AdaptiveAvgPool1d is 1 or more");
    return true;
  }
};

/// The largest element of each of these regions.   x [B, C, L]  y [B, C, Length]
template <int Length>
struct AdaptiveMaxPool1d {
  static constexpr const char* name = "AdaptiveMaxPool1d";
  using Needs = needs::a_series_of_channels_and_a_length_with_windows_of_at_most_65536_numbers;
  using Ops = OpList<AdaptivePool<1, Length, false>>;
  static constexpr bool accepts(Dims in) { return in.rank == 2 && AdaptivePool<1, Length, false>::countable(in); }

  static constexpr bool valid = Length > 0;
  static constexpr bool check() {
    static_assert(valid, "sinter: the length of AdaptiveMaxPool1d is 1 or more");
    return true;
  }
};

SINTER_NAMESPACE_END

namespace sinter {
namespace needs = internal::needs;
using internal::AdaptiveAvgPool1d;
using internal::AdaptiveMaxPool1d;
using internal::AvgPool1d;
using internal::MaxPool1d;
}  // namespace sinter
