// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/layers/layer.hpp"
#include "sinter/layers/options.hpp"
#include "sinter/ops/product.hpp"

SINTER_NAMESPACE_BEGIN

namespace layer_option {
struct OutputPaddingTag : Pair {};
}  // namespace layer_option
/// Rows and columns added to the output of a ConvTranspose2d, whose size a stride leaves open.
template <int Height, int Width = Height>
inline constexpr layer_option::OutputPaddingTag OutputPadding{{Height, Width}};

/// The adjoint of a convolution from Out to C channels: ConvTranspose2d<8, 2, Stride<2>> makes an image twice as large.
/// x [B, C, H, W]  W [C, Out / groups, kH, kW]  b [Out]  y [B, Out, H', W']
/// H' = (H - 1) stride - 2 padding + dilation (kH - 1) + output padding + 1.
/// Options: the kernel as a number or Kernel<kH, kW>, Stride, Padding, OutputPadding, Dilation, Groups, NoBias.
template <int Out, auto... Options>
struct ConvTranspose2d {
  static constexpr Window window = layer_option::window(true, Options...);

  static constexpr bool number_too_many = layer_option::more_numbers(1, Options...);
  static constexpr const char* name = "ConvTranspose2d";
  using Needs = needs::an_image_that_becomes_one_of_at_least_a_pixel_and_channels_divisible_by_groups;

 private:
  static constexpr auto more = layer_option::get<layer_option::OutputPaddingTag>({{0, 0}}, Options...);
  using Product = TransposedConvolution<Out, window, more.height, more.width,
                                        layer_option::count<layer_option::NoBiasTag>(Options...) == 0>;

 public:
  using Ops = OpList<Product>;
  static constexpr bool accepts(Dims in) {
    if (in.rank != 3 || in.channels % window.groups != 0) return false;
    const Dims out = Product::describe(in).out;
    return out.height > 0 && out.width > 0;
  }

  static constexpr bool one_kernel =
      number_too_many ||
      layer_option::count<int>(Options...) + layer_option::count<layer_option::KernelTag>(Options...) == 1;
  static constexpr bool known =
      number_too_many ||
      layer_option::only<int, layer_option::KernelTag, layer_option::StrideTag, layer_option::PaddingTag,
                         layer_option::OutputPaddingTag, layer_option::DilationTag, layer_option::GroupsTag,
                         layer_option::NoBiasTag>(Options...);
  static constexpr bool positive = Out > 0 && layer_option::sound(layer_option::window_as_given(true, Options...));
  static constexpr bool divisible = Out % window.groups == 0;
  static constexpr bool reached = more.height >= 0 && more.width >= 0 &&
                                  (more.height < window.stride_height || more.height < window.dilation_height) &&
                                  (more.width < window.stride_width || more.width < window.dilation_width);
  static constexpr bool valid = one_kernel && known && positive && divisible && reached;
  static constexpr bool check() {
    static_assert(one_kernel, "sinter: ConvTranspose2d needs its kernel once: ConvTranspose2d<10, 2, Stride<2>>");
    static_assert(known,
                  "sinter: ConvTranspose2d takes Kernel, Stride, Padding, OutputPadding, Dilation, Groups and NoBias, "
                  "each at most once");
    static_assert(
        positive,
        "sinter: the numbers of a ConvTranspose2d are 1 or more, and its padding is not negative; none is above "
        "16,777,216, nor is the reach of a window");
    static_assert(divisible, "sinter: ConvTranspose2d needs output channels divisible by its groups");
    static_assert(reached,
                  "sinter: the output padding of a ConvTranspose2d is smaller than its stride or its dilation");
    return true;
  }
};

SINTER_NAMESPACE_END

namespace sinter {
using internal::ConvTranspose2d;
using internal::OutputPadding;
}  // namespace sinter
