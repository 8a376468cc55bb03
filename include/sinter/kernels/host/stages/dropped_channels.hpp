// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/core/transpose.hpp"
#include "sinter/kernels/host/products/blocks.hpp"
#include "sinter/kernels/host/stages/image_convolution.hpp"

SINTER_NAMESPACE_BEGIN

namespace host_kernels {

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
    for (int f = 0; f < in.size(); f += L)
      transposed_copy<V>([&](int i) SINTER_LAMBDA { return tile.load(in.begin() + f + i); },
                         [&](int sample, V row) SINTER_LAMBDA { row.store(images + sample * image_stride + f); });
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
    for (int k = 0; k < count; k += channels) {
      int channel[channels];
      unroll<channels>([&](int c) SINTER_LAMBDA { channel[c] = kept[k + c]; });
      overlapping_blocks<rows>(height, [&](int y) {
        overlapping_blocks<chunk>(row, [&](int x) {
          V sum[channels][rows * packs];
          image_sums<P, S, rows>(image + first_pixel<B>(in, channel[0], y, x), strides, weight, bias, channel, sum);
          unroll<channels>([&](int c) SINTER_LAMBDA {
            unroll<rows>([&](int r) SINTER_LAMBDA {
              unroll<packs>([&](int n) SINTER_LAMBDA {
                sum[c][r * packs + n].store(sums + (channel[c] * height + y + r) * row + x + n * L);
              });
            });
          });
        });
      });
    }
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
