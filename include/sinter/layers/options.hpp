// SPDX-License-Identifier: MIT
#pragma once

#include <type_traits>

#include "sinter/ops/op.hpp"

SINTER_NAMESPACE_BEGIN

/// Options of layers, in any order after the required numbers: Conv2d<10, Kernel<3, 5>, Stride<2>, NoBias>.
/// One number is for both directions; two are for height and width.
namespace layer_option {
struct Pair {
  int height, width;
};
struct KernelTag : Pair {};
struct StrideTag : Pair {};
struct PaddingTag : Pair {};
struct DilationTag : Pair {};
struct GroupsTag {
  int groups;
};
struct NoBiasTag {};
struct CausalTag {};

/// Units of a recurrent layer, and features of attention: an int holds the rows of their weights, and their states.
inline constexpr int most_units = 1 << 20;

// Types are deduced from values: nvcc 13.0 gets decltype of a template argument of class type wrong.
template <class Option, class Given>
constexpr bool is(Given) {
  return std::is_same_v<Given, Option>;
}
template <class Option, class... Given>
constexpr int count(Given... given) {
  return (0 + ... + (is<Option>(given) ? 1 : 0));
}
/// The option if it was given, else the fallback.
template <class Option>
constexpr Option get(Option fallback) {
  return fallback;
}
template <class Option, class First, class... Rest>
constexpr Option get(Option fallback, First first, Rest... rest) {
  if constexpr (std::is_same_v<First, Option>)
    return first;
  else
    return get<Option>(fallback, rest...);
}

/// Whether every option that was given is one of `Known`, and none was given twice.
template <class... Known, class... Given>
constexpr bool only(Given... given) {
  return (0 + ... + count<Known>(given...)) == static_cast<int>(sizeof...(Given)) &&
         (... && (count<Known>(given...) <= 1));
}

/// Whether more plain numbers were given than a layer has options without a name.
template <class... Given>
constexpr bool more_numbers(int most, Given... given) {
  return count<int>(given...) > most;
}

/// The window that the options describe. The stride of a product is 1 unless given, that of a pool its window.
template <class... Given>
constexpr Window window_as_given(bool product, Given... given) {
  const int size = get<int>(1, given...);
  const Pair kernel = get<KernelTag>({{size, size}}, given...);
  const Pair stride = get<StrideTag>({{product ? 1 : kernel.height, product ? 1 : kernel.width}}, given...);
  const Pair padding = get<PaddingTag>({{0, 0}}, given...);
  const Pair dilation = get<DilationTag>({{1, 1}}, given...);
  return {kernel.height,   kernel.width,   stride.height,
          stride.width,    padding.height, padding.width,
          dilation.height, dilation.width, get<GroupsTag>({1}, given...).groups};
}
constexpr bool positive(const Window& w) {
  return w.height > 0 && w.width > 0 && w.stride_height > 0 && w.stride_width > 0 && w.padding_height >= 0 &&
         w.padding_width >= 0 && w.dilation_height > 0 && w.dilation_width > 0 && w.groups > 0;
}
/// Whether an int holds all that follows from a window.
constexpr bool countable(const Window& w) {
  constexpr int most = 1 << 24;
  return (w.height - 1.0) * w.dilation_height < most && (w.width - 1.0) * w.dilation_width < most &&
         1.0 * w.height * w.width <= 0x7fffffff && w.padding_height <= most && w.padding_width <= most &&
         w.stride_height <= most && w.stride_width <= most && w.dilation_height <= most && w.dilation_width <= most;
}
constexpr bool sound(const Window& w) { return positive(w) && countable(w); }
/// The same, or a valid one if it is invalid: it has been refused already, with a message.
template <class... Given>
constexpr Window window(bool product, Given... given) {
  const Window as_given = window_as_given(product, given...);
  return sound(as_given) ? as_given : Window{};
}
/// The same along a series: an image of one row.
template <class... Given>
constexpr Window series_window_as_given(bool product, Given... given) {
  Window w = window_as_given(product, given...);
  w.causal = count<CausalTag>(given...) > 0;
  w.height = w.stride_height = w.dilation_height = 1;
  w.padding_height = 0;
  return w;
}
/// The same, or a valid one. Causal padding is as long as the window reaches back.
template <class... Given>
constexpr Window series_window(bool product, Given... given) {
  Window w = series_window_as_given(product, given...);
  if (!sound(w)) w = Window{.causal = w.causal};
  if (w.causal) w.padding_width = w.reach_width() - 1;
  return w;
}
/// Whether each option that may have two numbers was given one.
template <class... Given>
constexpr bool one_number(Given... given) {
  const Window w = window_as_given(true, given...);
  return w.height == w.width && w.stride_height == w.stride_width && w.padding_height == w.padding_width &&
         w.dilation_height == w.dilation_width;
}
}  // namespace layer_option

/// The window of a convolution or pool, if it is not square.
template <int Height, int Width = Height>
inline constexpr layer_option::KernelTag Kernel{{Height, Width}};
/// The distance between windows: of a convolution 1 unless given, of a pool the window.
template <int Height, int Width = Height>
inline constexpr layer_option::StrideTag Stride{{Height, Width}};
/// Rows and columns of zeros on each side; pools leave them out of a maximum.
template <int Height, int Width = Height>
inline constexpr layer_option::PaddingTag Padding{{Height, Width}};
/// The distance between the taps of a window: 1 unless given.
template <int Height, int Width = Height>
inline constexpr layer_option::DilationTag Dilation{{Height, Width}};
/// Groups of channels that a convolution keeps apart: 1 unless given.
template <int N>
inline constexpr layer_option::GroupsTag Groups{N};
/// A layer without a bias.
inline constexpr layer_option::NoBiasTag NoBias{};
/// A Conv1d padded before its first number alone: no output sees a later input.
inline constexpr layer_option::CausalTag Causal{};

SINTER_NAMESPACE_END

namespace sinter {
using internal::Causal;
using internal::Dilation;
using internal::Groups;
using internal::Kernel;
using internal::NoBias;
using internal::Padding;
using internal::Stride;
}  // namespace sinter
