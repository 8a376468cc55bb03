// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/layers/layer.hpp"
#include "sinter/layers/options.hpp"
#include "sinter/ops/product.hpp"

SINTER_NAMESPACE_BEGIN

/// y = W * x + b along a series, a cross-correlation.   x [B, C, L]  W [Out, C / groups, k]  b [Out]  y [B, Out, L']
/// L' = (L + 2 padding - dilation (k - 1) - 1) / stride + 1, rounded down. Options: the kernel as a number, Stride,
/// Padding, Dilation, Groups, NoBias; Causal pads dilation (k - 1) zeros before the first place only, so that no output
/// depends on a later input; with a stride of 1, L' = L.
template <int Out, auto... Options>
struct Conv1d {
  static constexpr Window window = layer_option::series_window(true, Options...);

  static constexpr bool number_too_many = layer_option::more_numbers(1, Options...);
  static constexpr const char* name = "Conv1d";
  using Needs =
      needs::a_series_of_channels_and_a_length_at_least_as_long_as_the_window_and_channels_divisible_by_groups;
  using Ops = OpList<Convolution<Out, window, layer_option::count<layer_option::NoBiasTag>(Options...) == 0>>;
  static constexpr bool accepts(Dims in) { return in.rank == 2 && in.channels % window.groups == 0 && window.fits(in); }

  static constexpr bool one_kernel = number_too_many || layer_option::count<int>(Options...) == 1;
  static constexpr bool known =
      number_too_many || !one_kernel ||
      layer_option::only<int, layer_option::StrideTag, layer_option::PaddingTag, layer_option::DilationTag,
                         layer_option::GroupsTag, layer_option::NoBiasTag, layer_option::CausalTag>(Options...);
  static constexpr bool padded_once = !window.causal || layer_option::count<layer_option::PaddingTag>(Options...) == 0;
  static constexpr bool positive = Out > 0 &&
                                   layer_option::sound(layer_option::series_window_as_given(true, Options...));
  static constexpr bool one_number = layer_option::one_number(Options...);
  static constexpr bool divisible = Out % window.groups == 0;
  static constexpr bool valid = one_kernel && known && padded_once && positive && one_number && divisible;
  static constexpr bool check() {
    static_assert(one_kernel, "sinter: Conv1d needs its kernel once, as a number: Conv1d<16, 3>");
    static_assert(known,
                  "sinter: Conv1d takes Stride, Padding, Dilation, Groups, Causal and NoBias, each at most once");
    static_assert(padded_once, "sinter: Conv1d takes Padding or Causal, not both");
    static_assert(
        positive,
        "sinter: the numbers of a Conv1d are 1 or more, and its padding is not negative; none is above 16,777,216, "
        "nor is the reach of a window");
    static_assert(one_number, "sinter: the options of a Conv1d are one number each: Stride<2>");
    static_assert(divisible, "sinter: Conv1d needs output channels divisible by its groups");
    return true;
  }
};

SINTER_NAMESPACE_END

namespace sinter {
using internal::Conv1d;
}  // namespace sinter
