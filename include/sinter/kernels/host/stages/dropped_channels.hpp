// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/core/transpose.hpp"
#include "sinter/kernels/host/products/blocks.hpp"
#include "sinter/kernels/host/stages/image_convolution.hpp"

SINTER_NAMESPACE_BEGIN

namespace host_kernels {

/// The channels of a convolution that a sample keeps, and one more for a last block that is one too long. Each group
/// has `of_group` channels, and its pixels begin `group` numbers after those of the group before.
struct KeptChannels {
  const int* channels;
  int count, of_group;
  std::ptrdiff_t group;
};
/// The sums of the kept channels of an image, [channel][height][row], in blocks of `Channels` of them and `Rows` rows
/// of `Packs` packs. `pixels` is where the first window begins; `start` has each channel's initial sum, or is null.
template <class Isa, class Shape, WindowStrides Strides, int Channels, int Rows, int Packs, class V, class T>
SINTER_SHARED void sum_kept_channels(const T* pixels, int window_height, const T* weight, const T* start,
                                     const KeptChannels& given, int height, int row, T* sums) {
  constexpr int L = V::lanes, M = Rows * Packs;
  const KeptChannels kept = given;  // a copy: what a reference leads to is loaded again after every store
  for (int k = 0; k < kept.count; k += Channels) {
    int channel[Channels];
    const T* weights[Channels];
    unroll<Channels>([&](int c) SINTER_LAMBDA {
      channel[c] = kept.channels[k + c];
      weights[c] = weight + channel[c] * Shape::result;
    });
    const T* const image = pixels + channel[0] / kept.of_group * kept.group;
    overlapping_blocks<Rows>(height, [&](int y) {
      overlapping_blocks<Packs * L>(row, [&](int x) {
        V sum[Channels][M];
        unroll<Channels>([&](int c) SINTER_LAMBDA {
          const V first(start ? start[channel[c]] : T(0));
          unroll<M>([&](int m) SINTER_LAMBDA { sum[c][m] = first; });
        });
        add_windows<Shape, Rows>(
            Windows<T>{image + y * Strides.down + x * Shape::stride, window_height, 0}, Strides, sum,
            [&](int c, int i, int at) SINTER_LAMBDA { return weights[c][i * Shape::channel + at]; },
            [](const T* pixel, int) SINTER_LAMBDA { return load_every<Shape::stride, V>(pixel); });
        unroll<Channels>([&](int c) SINTER_LAMBDA {
          unroll<M>([&](int m) SINTER_LAMBDA {
            sum[c][m].store(sums + (channel[c] * height + y + m / Packs) * row + x + m % Packs * L);
          });
        });
      });
    });
  }
}

/// Packs of samples, n of them, as rows of samples `stride` numbers apart, with room for whole packs.
template <class Isa, class V, class T>
SINTER_SHARED void packs_to_samples(const T* packs, int n, T* samples, std::ptrdiff_t stride) {
  for (int f = 0; f < n; f += V::lanes)
    transposed_copy<V>([&](int i) SINTER_LAMBDA { return V::load(packs + (f + i) * V::lanes); },
                       [&](int sample, V row) SINTER_LAMBDA { row.store(samples + sample * stride + f); });
}

/// Forward of a convolution after which a mask drops whole channels (Dropout2d): which ones is known beforehand, sample
/// by sample. The tile is transposed to images, each is convolved for its own channels only, with the pixels of a row
/// in the lanes, and the sums are transposed back to packs of samples for the riders. Before a dropout of 0.5 that is
/// half the products.
template <class P, int S>
struct DroppedChannels {
  using B = ConvolutionBlocks<P, S>;
  using T = typename P::Scalar;
  using V = typename P::V;
  static constexpr int L = P::lanes;
  static constexpr Place in = Tile<P, true>::input(S);
  // The computed pixels, in rows of whole packs.
  static constexpr int height = B::computed.height * B::unit.height, width = B::computed.width * B::unit.width;
  static constexpr int row = round_up(width, L), packs = B::at_most(row / L, 4), chunk = packs * L;
  static constexpr int rows = B::at_most(height, dropped_channels_packs(P::ISA::registers) / packs);
  static constexpr int channels = rows * packs <= B::budget / 2 ? 2 : 1;

  static constexpr int image_stride = round_up(in.size(), 16) + 64;  // elements; kernels read past the last row
  static constexpr int sum_stride = B::op.out.channels * height * row;
  static_assert(image_stride + sum_stride <= forward_scratch<P>(S, true));

  template <class Tile>
  static void forward(const Tile& tile) {
    T* const images = tile.scratch();
    T* const sums = images + image_stride * L;
    packs_to_samples<typename P::ISA, V>(tile.at(in.begin()), in.size(), images, image_stride);
    for (int sample = 0; sample < L; ++sample)
      convolve(tile, sample, images + sample * image_stride, sums + sample * sum_stride);
    ride_back_in(tile, sums);
  }

 private:
  static constexpr int mask = P::stage(S).first + 1;
  static constexpr WindowStrides strides = B::strides(in, 1);

  template <class Tile>
  SINTER_INLINE static void convolve(const Tile& tile, int sample, const T* image, T* sums) {
    constexpr int outputs = B::op.out.channels;
    int kept[outputs + 1], count = 0;
    const T* decisions = tile.at(Tile::mask(mask).begin()) + sample;
    for (int c = 0; c < outputs; ++c) {
      kept[count] = c;
      count += decisions[c * L] != T(0);
    }
    kept[count] = count > 0 ? kept[count - 1] : 0;  // a block's second channel may be one too many

    const T* weight = tile.parameter(B::op.weight);
    const T* bias = nullptr;
    if constexpr (B::op.with_bias) bias = tile.parameter(B::op.bias);
    constexpr int of_group = B::w.groups == 1 ? outputs : B::outputs;
    sum_kept_channels<typename P::ISA, typename B::template BlockShape<true>, strides, channels, rows, packs, V>(
        image + first_pixel<B>(in, 0, 0, 0), B::w.height, weight, bias,
        {kept, count, of_group, static_cast<std::ptrdiff_t>(B::inputs) * in.stride_channel()}, height, row, sums);
  }

  template <class Tile>
  SINTER_INLINE static void ride_back_in(const Tile& tile, const T* sums) {
    constexpr int unit_height = B::unit.height, unit_width = B::unit.width, taps = unit_height * unit_width;
    for (int c = 0; c < B::op.out.channels; ++c) {
      const auto dropped = tile.load(Tile::mask(mask).begin() + c) == V(0);
      for (int y = 0; y < height; y += unit_height)
        for (int x = 0; x < width; x += L) {
          V pixel[unit_height][L];
          unroll<unit_height>([&](int r) SINTER_LAMBDA {
            unroll<L>([&](int i) SINTER_LAMBDA {
              pixel[r][i] = V::load(sums + i * sum_stride + (c * height + y + r) * row + x);
            });
            transpose(pixel[r]);
          });
          unroll<L / unit_width>([&](int u) SINTER_LAMBDA {
            const int first = u * unit_width;
            if (width % L == 0 || x + first < width) {
              V window[taps];
              unroll<taps>([&](int k) SINTER_LAMBDA {
                window[k] = select(dropped, V(0), pixel[k / unit_width][first + k % unit_width]);
              });
              ride<Tile, S, mask>(tile, Position{c, y, x + first}, window);
            }
          });
        }
    }
  }
};

}  // namespace host_kernels

SINTER_NAMESPACE_END
