// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

#include "sinter/core/pack_keep.hpp"
#include "sinter/kernels/host/products/contract.hpp"
#include "sinter/kernels/host/products/load_every.hpp"

SINTER_NAMESPACE_BEGIN

namespace host_kernels {

/// Rows of more taps are not unrolled: that would take the compiler minutes and gigabytes.
inline constexpr int most_unrolled_taps = 32;
/// Taps that are counted at run time.
inline constexpr int any_taps = -1;

/// The windows of a convolution, but for their places: the channels and taps that are summed up, and their weights.
/// Distances are in numbers, from one result, channel, row or tap to the next. Pixels of neighbouring taps are
/// PixelTap apart, or as far as is known at run time if that is 0, and of pixels in the lanes each Stride-th is read.
template <int Channels, int Taps, int Result, int Channel, int Tap, int PixelTap, int Stride, int Across>
struct WindowShape {
  static constexpr int channels = Channels, taps = Taps, result = Result, channel = Channel, tap = Tap;
  static constexpr int pixel_tap = PixelTap, stride = Stride, across = Across;
};

/// From a channel, a row of a window or a tap to the next, and from a window to the one below, in numbers of pixels;
/// and from a row to the next in the weights of a channel.
struct WindowStrides {
  std::ptrdiff_t channel, row, tap, down;
  int weight_row, taps;
};
/// The windows that a block reads, `rows` rows of each channel, and which weight is the first one of a channel.
template <class T>
struct Windows {
  const T* pixels;  // of the first tap of the first window
  int rows, first_weight;
};

/// sum[c][r N + n] += weight(c, i, at) pixel for window n of N in row r of R, over channels i, rows and taps: for each
/// sum one chain of fma, the same for all blocks. load(pixel, tap) is the pack that begins there.
template <class Shape, int R, class V, int C, int M, class T, class Weight, class Load>
SINTER_INLINE void add_windows(const Windows<T>& of, const WindowStrides& strides, V (&sum)[C][M], Weight&& weight,
                               Load&& load) {
  constexpr int N = M / R;
  contract(
      sum,
      [&](auto&& f) SINTER_LAMBDA {
        for (int i = 0; i < Shape::channels; ++i)
          for (int k = 0; k < of.rows; ++k) {
            const T* row = of.pixels + (i * strides.channel + k * strides.row);
            int at = of.first_weight + k * strides.weight_row;
            if constexpr (Shape::tap < 0) {  // neighbouring results have weights in common with the next row
              fn::hide(row);
              fn::hide(at);
            }
            const auto one = [&](int tap) SINTER_LAMBDA { f(row + tap * strides.tap, i, at + tap * Shape::tap, tap); };
            if constexpr (Shape::taps > most_unrolled_taps || Shape::taps == any_taps)
              for (int tap = 0; tap < (Shape::taps == any_taps ? strides.taps : Shape::taps); ++tap) one(tap);
            else
              unroll<Shape::taps>(one);
          }
      },
      [&](int c, const T*, int i, int at, int) SINTER_LAMBDA { return V(weight(c, i, at)); },
      [&](int n, const T* pixel, int, int, int tap)
          SINTER_LAMBDA { return load(pixel + (n / N * strides.down + n % N * Shape::across), tap); });
}

/// Weights from `weight` on; `start` has the initial sums, unless it is null.
template <class Shape, int R, class V, int C, int M, class T>
SINTER_INLINE void sum_windows(const Windows<T>& of, const WindowStrides& strides, const T* weight, const T* start,
                               V (&sum)[C][M]) {
  unroll<C>([&](int c) SINTER_LAMBDA {
    const V first(start ? start[c] : T(0));
    unroll<M>([&](int m) SINTER_LAMBDA { sum[c][m] = first; });
  });
  add_windows<Shape, R>(
      of, strides, sum,
      [&](int c, int i, int at) SINTER_LAMBDA { return weight[c * Shape::result + i * Shape::channel + at]; },
      [](const T* pixel, int) SINTER_LAMBDA { return load_every<Shape::stride, V>(pixel); });
}
/// The kernel of all convolutions of this shape.
template <class Isa, class Shape, int R, class V, int C, int M, class T>
SINTER_SHARED void shared_sum_windows(const T* pixels, int rows, const WindowStrides& strides, const T* weight,
                                      const T* start, V (&sum)[C][M]) {
  WindowStrides own = strides;  // a copy: what a reference leads to is loaded again after every store
  if constexpr (Shape::pixel_tap != 0) own.tap = Shape::pixel_tap;
  V sums[C][M];
  sum_windows<Shape, R>(Windows<T>{pixels, rows, 0}, own, weight, start, sums);
  unroll<C>([&](int c) SINTER_LAMBDA { unroll<M>([&](int m) SINTER_LAMBDA { sum[c][m] = sums[c][m]; }); });
}

/// Blocks of fewer terms, or less work in multiply-adds of packs, are compiled for their places: a call costs too much.
inline constexpr int least_shared_terms = 48, least_shared_windows = 512;
constexpr bool shares_windows(int sums, int terms) {
  return terms >= least_shared_terms && sums * terms >= least_shared_windows;
}

/// f(i) for the sums of a block: a loop where they are in memory.
template <bool InMemory, int N, class F>
SINTER_INLINE void for_each_sum(F&& f) {
  if constexpr (InMemory) {
    SINTER_KEEP_LOOP
    for (int i = 0; i < N; ++i) f(i);
  } else {
    unroll<N>(f);
  }
}

/// The sums of a block, each of about Terms terms.
template <class Isa, class Shape, int Terms, int R, class V, int C, int M, class T>
SINTER_INLINE void window_sums(const Windows<T>& of, const WindowStrides& strides, const T* weight, const T* start,
                               V (&sum)[C][M]) {
  if constexpr (shares_windows(C * M, Terms))
    shared_sum_windows<Isa, Shape, R>(of.pixels, of.rows, strides, weight + of.first_weight, start, sum);
  else
    sum_windows<Shape, R>(of, strides, weight, start, sum);
}

}  // namespace host_kernels

SINTER_NAMESPACE_END
