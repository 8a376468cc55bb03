// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/layers/layer.hpp"
#include "sinter/layers/options.hpp"
#include "sinter/ops/product.hpp"

SINTER_NAMESPACE_BEGIN

/// y = W * x + b, a cross-correlation.   x [B, C, H, W]  W [Out, C / groups, kH, kW]  b [Out]  y [B, Out, H', W']
/// H' = (H + 2 padding - dilation (kH - 1) - 1) / stride + 1, rounded down.
/// Options: the kernel as a number or Kernel<kH, kW>, Stride, Padding, Dilation, Groups, NoBias.
template <int Out, auto... Options>
struct Conv2d {
  static constexpr Window window = layer_option::window(true, Options...);

  static constexpr bool number_too_many = layer_option::more_numbers(1, Options...);
  static constexpr const char* name = "Conv2d";
  using Needs = needs::an_image_at_least_as_large_as_the_window_and_channels_divisible_by_groups;
  using Ops = OpList<Convolution<Out, window, layer_option::count<layer_option::NoBiasTag>(Options...) == 0>>;
  static constexpr bool accepts(Dims in) { return in.rank == 3 && in.channels % window.groups == 0 && window.fits(in); }

  static constexpr bool one_kernel =
      number_too_many ||
      layer_option::count<int>(Options...) + layer_option::count<layer_option::KernelTag>(Options...) == 1;
  static constexpr bool known =
      number_too_many ||
      layer_option::only<int, layer_option::KernelTag, layer_option::StrideTag, layer_option::PaddingTag,
                         layer_option::DilationTag, layer_option::GroupsTag, layer_option::NoBiasTag>(Options...);
  static constexpr bool positive = Out > 0 && layer_option::sound(layer_option::window_as_given(true, Options...));
  static constexpr bool divisible = Out % window.groups == 0;
  static constexpr bool valid = one_kernel && known && positive && divisible;
  static constexpr bool check() {
    static_assert(one_kernel, "sinter: Conv2d needs its kernel once: Conv2d<10, 5> or Conv2d<10, Kernel<3, 5>>");
    static_assert(known,
                  "sinter: Conv2d takes Kernel, Stride, Padding, Dilation, Groups and NoBias, each at most once");
    static_assert(
        positive,
        "sinter: the numbers of a Conv2d are 1 or more, and its padding is not negative; none is above 16,777,216, "
        "nor is the reach of a window");
    static_assert(divisible, "sinter: Conv2d needs output channels divisible by its groups");
    return true;
  }
};

SINTER_NAMESPACE_END

namespace sinter {
using internal::Conv2d;
}  // namespace sinter
