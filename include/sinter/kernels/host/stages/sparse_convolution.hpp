// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstring>

#include "sinter/core/compress.hpp"
#include "sinter/core/transpose.hpp"
#include "sinter/kernels/host/products/blocks.hpp"
#include "sinter/kernels/host/products/contract.hpp"
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
  using T = typename Tile::T;
  using V = typename Tile::V;
  using Wide = typename P::Wide;
  using Layout = SparseLayout<P>;
  using Offset = integer_of<V>;
  using OffsetValue = integer_of<T>;

  static constexpr Stage stage = P::stage(S);
  static constexpr Op op = P::op(stage.first);
  static constexpr Window w = op.window;
  static constexpr Dims pooled = P::gradient_dims(S);
  static constexpr Dims image = Layout::bordered(S);
  static constexpr bool taps_in_lanes = P::taps_in_lanes(S);
  static constexpr int L = P::lanes, outputs = op.out.channels, inputs = op.in.channels;
  static constexpr int padded = Layout::padded_channels(S), parts = padded / P::wide_lanes;
  static constexpr int row = Layout::packed_row(S);
  static constexpr int list_length = Layout::list_length(S), blocks = divide_up(pooled.pixels(), L);

  // An offset counts elements of one sample as the kernel sees it: channels last, or a plain row of the input.
  static constexpr int pixel_stride = taps_in_lanes ? 1 : padded;
  static constexpr int row_stride = image.width * pixel_stride;

  const Tile& tile;
  T* const transposed = tile.scratch();                                        // x: [sample][pixel][padded]
  T* const transposed_gradient = transposed + Layout::transposed_size(S) * L;  // dx likewise
  T* const values = transposed_gradient + Layout::transposed_size(S) * L;      // [output][sample][list]
  OffsetValue* const offsets = reinterpret_cast<OffsetValue*>(values + outputs * L * list_length);
  OffsetValue* const counts = offsets + outputs * L * list_length;  // [output][sample]

  SINTER_INLINE T* packed_gradient() const { return tile.at(Tile::memory_plan.packed_gradient[S].begin()); }

  // -- dW of a slot, from its sums ------------------------------------------------------------------------------------

  static void begin_slot(const Tile& tile) {
    std::memset(SparseConvolution{tile}.packed_gradient(), 0, sizeof(T) * outputs * row);
  }
  static void end_slot(const Tile& tile) {
    const T* from = SparseConvolution{tile}.packed_gradient();
    T* to = tile.parameter_gradient(op.weight);
    // With channels in the lanes most taps go by packs.
    constexpr int by_packs = taps_in_lanes ? 0 : w.taps() / L * L;
    for (int o = 0; o < outputs; ++o) {
      for (int c = 0; c < inputs; ++c)
        for (int t = by_packs; t < w.taps(); ++t) {
          const int at = taps_in_lanes ? (c * w.height + t / w.width) * L + t % w.width : t * padded + c;
          to[(o * inputs + c) * w.taps() + t] += from[o * row + at];
        }
      for (int t = 0; t < by_packs; t += L)
        for (int c = 0; c < inputs; c += L) {
          transposed_copy<V>([&](int i) SINTER_LAMBDA { return V::load(from + o * row + (t + i) * padded + c); },
                             [&](int i, V added) SINTER_LAMBDA {
                               T* const taps = to + (o * inputs + c + i) * w.taps() + t;
                               if (inputs % L == 0 || c + i < inputs) (V::load(taps) + added).store(taps);
                             });
        }
    }
  }

  // -- the lists ------------------------------------------------------------------------------------------------------

  static constexpr OffsetValue offset_of(int y, int x) {
    return static_cast<OffsetValue>(y * w.stride_height * row_stride + x * w.stride_width * pixel_stride);
  }
  /// Where the window of each pooled pixel begins.
  static constexpr auto window_offsets() {
    struct {
      alignas(64) OffsetValue at[blocks * L]{};
    } result;
    const int down = stage.pool >= 0 ? P::op(stage.pool).window.height : 1;
    const int across = stage.pool >= 0 ? P::op(stage.pool).window.width : 1;
    for (int i = 0; i < pooled.pixels(); ++i)
      result.at[i] = offset_of(i / pooled.width * down, i % pooled.width * across);
    return result;
  }
  static constexpr auto window_offset = window_offsets();

  SINTER_INLINE void build_lists() const {
    constexpr Place dy = Tile::gradient_of(S);
    for (int o = 0; o < outputs; ++o) {
      OffsetValue count[L] = {};
      V total(0);
      for (int b = 0; b < blocks; ++b) {
        V g[L], winner[L];
        unroll<L>([&](auto i) SINTER_LAMBDA {
          constexpr int lane = decltype(i)::value;
          const int pixel = b * L + lane;
          if (pooled.pixels() % L == 0 || pixel < pooled.pixels()) {
            g[i] = tile.load(dy.at(o, 0, 0) + pixel);
            if constexpr (stage.pool >= 0) {
              const V which = load_bytes<V>(tile.bytes(Tile::argmax(stage.pool), o * pooled.pixels() + pixel));
              constexpr Window pool = P::op(stage.pool).window;
              Offset at(0);
              unroll<pool.taps() - 1>([&](auto k) SINTER_LAMBDA {
                constexpr int t = decltype(k)::value + 1;
                constexpr OffsetValue move = offset_of(t / pool.width, t % pool.width);
                at =
                    bit_cast<Offset>(select(which == V(static_cast<T>(t)), bit_cast<V>(Offset(move)), bit_cast<V>(at)));
              });
              winner[i] = bit_cast<V>(at);
            } else {
              winner[i] = V(0);
            }
          } else {
            g[i] = winner[i] = V(0);
          }
          total += g[i];
        });
        transpose(g);
        transpose(winner);
        const Offset begin = Offset::load(window_offset.at + b * L);
        unroll<L>([&](int i) SINTER_LAMBDA {
          const int list = (o * L + i) * list_length + static_cast<int>(count[i]);
          count[i] += compress_non_zeros(g[i], bit_cast<Offset>(winner[i]) + begin, values + list, offsets + list);
        });
      }
      std::memcpy(counts + o * L, count, sizeof count);
      if constexpr (op.with_bias) tile.parameter_gradient(op.bias)[o] += sum(total);
    }
  }

  // -- channels in the lanes ------------------------------------------------------------------------------------------

  SINTER_INLINE void transpose_input() const {
    constexpr Place in = Tile::input(S);
    for (int c = 0; c < padded; c += L)
      for (int y = 0, pixel = 0; y < image.height; ++y)
        for (int x = 0; x < image.width; ++x, ++pixel)
          transposed_copy<V>(
              [&](int i) SINTER_LAMBDA {
                if (c + i >= inputs) return V(0);
                return tile.load(in.at(c + i, y - w.padding_height, x - w.padding_width));
              },
              [&](int i, V v) SINTER_LAMBDA { v.store(transposed + (i * image.pixels() + pixel) * padded + c); });
  }

  /// Rows of taps whose registers fit at once.
  static constexpr int row_registers = w.width * parts;
  static constexpr int budget = sparse_sums(P::ISA::registers);
  static constexpr int rows_at_once =
      row_registers * w.height <= budget ? w.height : (row_registers <= budget ? budget / row_registers : 1);

  /// f(first row, number of rows) over the rows of the window, as a constant number of them.
  template <class F>
  SINTER_INLINE static void for_each_rows(F&& f) {
    int ky = 0;
    for (; ky + rows_at_once <= w.height; ky += rows_at_once) f(std::integral_constant<int, rows_at_once>{}, ky);
    if constexpr (w.height % rows_at_once != 0)
      for (; ky < w.height; ++ky) f(std::integral_constant<int, 1>{}, ky);
  }
  /// Where tap (first row + k / width, k % width) part p is after a window's start.
  static constexpr int tap_offset(int k, int part) {
    return k / w.width * w.dilation_height * row_stride + k % w.width * w.dilation_width * pixel_stride +
           part * P::wide_lanes;
  }

  /// to[n] += the sum over the non-zeros g of output o of g times the pack of x at offset(n) in its window, for N
  /// packs; input(sample) is where the first window of a sample begins.
  template <int N, class Packed, class Input, class Offsets>
  SINTER_INLINE void add_products(int o, T* to, Input&& input, Offsets&& offset) const {
    Packed sum[N][1];
    unroll<N>([&](int n) SINTER_LAMBDA { sum[n][0] = Packed::load(to + n * Packed::lanes); });
    contract(
        sum,
        [&](auto&& f) SINTER_LAMBDA {
          for (int sample = 0; sample < L; ++sample) {
            const T* x = input(sample);
            const int list = (o * L + sample) * list_length;
            const int count = static_cast<int>(counts[o * L + sample]);
            for (int i = list; i < list + count; ++i) f(x + offsets[i], values[i]);
          }
        },
        [&](int n, const T* window, T) SINTER_LAMBDA { return Packed::load(window + offset(n)); },
        [&](int, const T*, T g) SINTER_LAMBDA { return Packed(g); });
    unroll<N>([&](int n) SINTER_LAMBDA { sum[n][0].store(to + n * Packed::lanes); });
  }

  SINTER_INLINE void add_weight_gradient() const {
    for_each_rows([&](auto rows, int ky) SINTER_LAMBDA {
      constexpr int N = decltype(rows)::value * row_registers;
      for (int o = 0; o < outputs; ++o)
        add_products<N, Wide>(
            o, packed_gradient() + o * row + ky * w.width * padded,
            [&](int sample) SINTER_LAMBDA {
              return transposed + sample * image.pixels() * padded + ky * w.dilation_height * row_stride;
            },
            [](int n) SINTER_LAMBDA { return tap_offset(n / parts, n % parts); });
    });
  }

  SINTER_INLINE void add_input_gradient() const {
    std::memset(transposed_gradient, 0, sizeof(T) * static_cast<std::size_t>(L * image.pixels() * padded));
    for (int sample = 0; sample < L; ++sample)
      for_each_rows([&](auto rows, int ky) SINTER_LAMBDA {
        constexpr int N = decltype(rows)::value * row_registers;
        T* dx = transposed_gradient + sample * image.pixels() * padded + ky * w.dilation_height * row_stride;
        for (int o = 0; o < outputs; ++o) {
          const int list = (o * L + sample) * list_length;
          const int count = static_cast<int>(counts[o * L + sample]);
          if (count == 0) continue;
          const T* from = tile.packed_weight(S, true) + o * row + ky * w.width * padded;
          Wide weight[N];
          unroll<N>([&](int n) SINTER_LAMBDA { weight[n] = Wide::load(from + n * P::wide_lanes); });
          for (int i = list; i < list + count; ++i) {
            const Wide g(values[i]);
            T* window = dx + offsets[i];
            unroll<N>([&](int n) SINTER_LAMBDA {
              const int at = tap_offset(n / parts, n % parts);
              fma(g, weight[n], Wide::load(window + at)).store(window + at);
            });
          }
        }
      });
    // Back to packs, and on to the riders of the stage before.
    for (int c = 0; c < inputs; c += L)
      for (int y = 0; y < op.in.height; ++y)
        for (int x = 0; x < op.in.width; ++x) {
          const int pixel = (y + w.padding_height) * image.width + x + w.padding_width;
          transposed_copy<V>(
              [&](int i)
                  SINTER_LAMBDA { return V::load(transposed_gradient + (i * image.pixels() + pixel) * padded + c); },
              [&](int i, V dx) SINTER_LAMBDA {
                if (inputs % L == 0 || c + i < inputs) give_input_gradient<Tile, S>(tile, Position{c + i, y, x}, dx);
              });
        }
  }

  // -- taps of a row in the lanes, for the few channels of an image ---------------------------------------------------

  /// Reads up to a pack after the last pixel of the last row: rows of the input have that room.
  SINTER_INLINE void add_weight_gradient_by_rows() const {
    for (int o = 0; o < outputs; ++o)
      add_products<inputs * w.height, V>(
          o, packed_gradient() + o * row,
          [&](int sample) SINTER_LAMBDA { return tile.input_rows() + sample * Tile::memory_plan.row_stride; },
          [](int n)
              SINTER_LAMBDA { return n / w.height * op.in.pixels() + n % w.height * w.dilation_height * row_stride; });
  }

  static void backward(const Tile& tile) {
    const SparseConvolution at{tile};
    at.build_lists();
    if constexpr (taps_in_lanes) {
      at.add_weight_gradient_by_rows();
    } else {
      at.transpose_input();
      at.add_weight_gradient();
      if constexpr (wants_input_gradient<Tile, S>) at.add_input_gradient();
    }
  }
};

}  // namespace host_kernels

SINTER_NAMESPACE_END
