// SPDX-License-Identifier: MIT
#pragma once

#include <cstring>

#include "sinter/core/transpose.hpp"
#include "sinter/kernels/host/products/sparse_products.hpp"
#include "sinter/kernels/host/tile/ride.hpp"

SINTER_NAMESPACE_BEGIN

namespace host_kernels {

/// Backward of a convolution whose dy is mostly exact zeros: before a 2 x 2 max pool, a ReLU and a dropout only one
/// number in ten is not. dy stays pooled. Each channel of each sample is compressed to a list of its non-zeros with the
/// place in the image that each window's winner belongs to; then every non-zero costs one window of x for dW and one
/// window of W for dx, with the input channels (or, for the first layer, the taps of a row) in the lanes.
///
/// Products with exact zeros are skipped, also where the other factor is infinite or NaN. Sums run in another order
/// than in the dense kernels: the same on every run and for every number of threads, not bit for bit the dense ones.
template <class Tile, int S>
struct SparseConvolution {
  using P = typename Tile::Plan;
  using Isa = typename P::ISA;
  using T = typename Tile::T;
  using V = typename Tile::V;
  using Wide = typename P::Wide;
  using Layout = SparseLayout<P>;
  using Offset = integer_of<T>;

  static constexpr Stage stage = P::stage(S);
  static constexpr Op op = P::op(stage.first);
  static constexpr Window w = op.window;
  static constexpr Dims pooled = P::gradient_dims(S);
  static constexpr Dims image = Layout::bordered(S);
  static constexpr bool taps_in_lanes = P::taps_in_lanes(S);
  static constexpr int L = P::lanes, outputs = op.out.channels, inputs = op.in.channels;
  static constexpr int padded = Layout::padded_channels(S);
  static constexpr int row = Layout::packed_row(S);
  static constexpr int list_length = Layout::list_length(S);

  // Numbers of a sample as the kernel sees it: channels last, or a plain row of the input.
  static constexpr int pixel_stride = taps_in_lanes ? 1 : padded;
  static constexpr int row_stride = image.width * pixel_stride, image_size = image.pixels() * padded;
  using Windows = SparseWindow<w.height, w.width, w.dilation_height * row_stride, w.dilation_width * pixel_stride,
                               padded / P::wide_lanes>;

  static T* packed_gradient(const Tile& tile) { return tile.at(Tile::memory_plan.packed_gradient[S].begin()); }

  // -- dW of a slot, from its sums ------------------------------------------------------------------------------------

  static void begin_slot(const Tile& tile) { std::memset(packed_gradient(tile), 0, sizeof(T) * outputs * row); }
  static void end_slot(const Tile& tile) {
    T* const to = tile.parameter_gradient(op.weight);
    if constexpr (taps_in_lanes)
      add_packed_rows<Isa, V>(packed_gradient(tile), outputs, inputs, w.height, w.width, to);
    else
      add_packed_taps<Isa, V>(packed_gradient(tile), row, padded, outputs, inputs, w.taps(), to);
  }

  // -- the lists ------------------------------------------------------------------------------------------------------

  static constexpr Offset offset_of(int y, int x) {
    return static_cast<Offset>(y * w.stride_height * row_stride + x * w.stride_width * pixel_stride);
  }
  static constexpr int pool_height = stage.pool >= 0 ? P::op(stage.pool).window.height : 1;
  static constexpr int pool_width = stage.pool >= 0 ? P::op(stage.pool).window.width : 1;
  /// Where the window of each pooled pixel begins.
  static constexpr auto window_offsets() {
    struct {
      alignas(64) Offset at[round_up(pooled.pixels(), L)]{};
    } result;
    for (int i = 0; i < pooled.pixels(); ++i)
      result.at[i] = offset_of(i / pooled.width * pool_height, i % pooled.width * pool_width);
    return result;
  }
  static constexpr auto window_offset = window_offsets();

  static void list(const Tile& tile, const NonZeros<T>& lists) {
    constexpr Place dy = Tile::gradient_of(S);
    const std::uint8_t* which = nullptr;
    if constexpr (stage.pool >= 0) which = tile.bytes(Tile::argmax(stage.pool), 0);
    T* bias = nullptr;
    if constexpr (op.with_bias) bias = tile.parameter_gradient(op.bias);
    const PooledGradient<T> from{tile.at(dy.at(0, 0, 0)), which,           pooled.pixels(), dy.stride_channel() * L,
                                 window_offset.at,        offset_of(1, 0), offset_of(0, 1), bias};
    list_non_zeros<Isa, V, pool_height, pool_width>(from, lists);
  }

  // -- both gradients -------------------------------------------------------------------------------------------------

  static void backward(const Tile& tile) {
    T* const images = tile.scratch();                             // x: [sample][pixel][padded]
    T* const gradient = images + Layout::transposed_size(S) * L;  // dx likewise
    T* const values = gradient + Layout::transposed_size(S) * L;
    Offset* const offsets = reinterpret_cast<Offset*>(values + outputs * L * list_length);
    const NonZeros<T> lists{values, offsets, offsets + outputs * L * list_length, outputs, list_length};
    list(tile, lists);
    if constexpr (taps_in_lanes) {
      using Rows = PacksOfPlainRows<inputs, w.height, op.in.pixels(), w.dilation_height * row_stride>;
      add_sparse_rows<Isa, Rows, V, L>(lists, tile.input_rows(), Tile::memory_plan.row_stride, packed_gradient(tile),
                                       row);
    } else {
      constexpr Place in = Tile::input(S);
      constexpr Spot first = in.at(0, -w.padding_height, -w.padding_width);
      packs_to_images<Isa, V>(tile.at(first), in.stride_channel() * L, in.stride_y() * L, inputs, image.height,
                              image.width, padded, images);
      add_sparse_windows<Isa, Windows, Wide, L>(lists, images, image_size, packed_gradient(tile), row);
      if constexpr (wants_input_gradient<Tile, S>) {
        scatter_sparse_windows<Isa, Windows, Wide, L>(lists, tile.packed_weight(S, true), row, gradient, image_size);
        give(tile, gradient);
      }
    }
  }

  /// dx, back as packs, on to the riders of the stage before.
  SINTER_INLINE static void give(const Tile& tile, const T* gradient) {
    for (int c = 0; c < inputs; c += L)
      for (int y = 0; y < op.in.height; ++y)
        for (int x = 0; x < op.in.width; ++x) {
          const T* const from = gradient + ((y + w.padding_height) * image.width + x + w.padding_width) * padded + c;
          transposed_copy<V>([&](int i) SINTER_LAMBDA { return V::load(from + i * image_size); },
                             [&](int i, V dx) SINTER_LAMBDA {
                               if (inputs % L == 0 || c + i < inputs)
                                 give_input_gradient<Tile, S>(tile, Position{c + i, y, x}, dx);
                             });
        }
  }
};

}  // namespace host_kernels

SINTER_NAMESPACE_END
