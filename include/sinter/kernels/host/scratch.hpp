// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/kernels/host/plan.hpp"

SINTER_NAMESPACE_BEGIN

namespace host_kernels {

/// The operands of a convolution that skips zeros: channels last, padded to whole wide registers.
template <class P>
struct SparseLayout {
  static constexpr int padded_channels(int s) { return round_up(P::source(s).in.channels, P::wide_lanes); }
  /// The image with its edge.
  static constexpr Dims bordered(int s) {
    const Op& o = P::source(s);
    return image(o.in.channels, o.in.height + 2 * o.window.padding_height, o.in.width + 2 * o.window.padding_width);
  }
  /// Elements for a weight gradient of one output channel.
  static constexpr int packed_row(int s) {
    const Op& o = P::source(s);
    return P::taps_in_lanes(s) ? o.in.channels * o.window.height * P::lanes : o.window.taps() * padded_channels(s);
  }
  /// Packs for all of them.
  static constexpr int packed_size(int s) { return divide_up(P::source(s).out.channels * packed_row(s), P::lanes); }
  /// Room for the non-zeros of one channel of one sample.
  static constexpr int list_length(int s) { return round_up(P::gradient_dims(s).pixels(), P::lanes) + P::lanes; }
  static constexpr int turned_size(int s) {
    return P::taps_in_lanes(s) ? 0 : round_up(bordered(s).pixels() * padded_channels(s), P::line);
  }
  static constexpr int scratch(int s) {
    return 2 * turned_size(s) + P::source(s).out.channels * (2 * list_length(s) + 1) + 2 * P::line;
  }
};

/// Packs for the images of a tile and the sums of their convolution, where dropped channels are left out.
template <class P>
constexpr int dropped_channels_scratch(int s) {
  const Window edge = P::edge(P::stage(s).input);
  const Dims in = P::source(s).in, out = P::source(s).out;
  const int image = in.channels * (in.height + 2 * edge.padding_height) * (in.width + 2 * edge.padding_width);
  return round_up(image, 16) + 64 + out.channels * out.height * round_up(out.width, P::lanes);
}

/// The transformed operands of Winograd's F(2, 3): four rows of each channel of the input, and a weight four times.
struct WinogradLayout {
  int inputs, outputs, columns, taps;  // channels; pixels of a row of the output; of a row of the window
  constexpr int row() const { return columns + taps - 1; }
  constexpr int rows() const { return inputs * row(); }  // of one of four
  /// Numbers of one of the four weights, [outputs][inputs][taps], with room for a store that is one tap too long.
  constexpr int weight() const { return round_up(outputs * inputs * taps + 1, 16); }
  /// Packs of `lanes` samples.
  constexpr int packs(int lanes) const { return 4 * rows() + divide_up(4 * weight(), lanes); }

  static constexpr WinogradLayout forward(const Op& o) {
    return {o.in.channels, o.out.channels, o.out.width, o.window.width};
  }
  /// dx is a convolution of dy.
  static constexpr WinogradLayout backward(const Op& o) {
    return {o.out.channels, o.in.channels, o.in.width, o.window.width};
  }
};

/// Packs before those of the kernel itself, for an input without its edge.
template <class P>
constexpr int gathered_size(int s) {
  return P::gathers(s) ? round_up(P::source(s).in.size(), P::line) : 0;
}

/// The working memory of a kernel, in packs.
template <class P>
constexpr int forward_scratch(int s, bool training) {
  if (training && P::skips_channels(s)) return dropped_channels_scratch<P>(s);
  return P::by_winograd(s) ? WinogradLayout::forward(P::source(s)).packs(P::lanes) : gathered_size<P>(s);
}
template <class P>
constexpr int backward_scratch(int s) {
  const int in = P::source(s).in.size();
  if (P::stage(s).source == Source::matmul) return gathered_size<P>(s) + round_up(in, 16) + 16;  // transposed, or dx
  if (P::stage(s).source == Source::pool) return in;
  if (P::sparse(s)) return SparseLayout<P>::scratch(s);
  return P::by_winograd(s) ? WinogradLayout::backward(P::source(s)).packs(P::lanes) : 0;
}

}  // namespace host_kernels

SINTER_NAMESPACE_END
