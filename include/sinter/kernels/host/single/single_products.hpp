// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>

#include "sinter/core/transpose.hpp"
#include "sinter/kernels/host/single/single_plan.hpp"
#include "sinter/kernels/host/stages/packed_rows.hpp"

SINTER_NAMESPACE_BEGIN

namespace host_kernels {

/// The riders before the pool, the pool, and those after it, on the pool's window at `p`; the first `count` lanes to
/// memory.
template <class P, int S, class One, class V, int N>
SINTER_INLINE void finish_window(const One& single, Position p, int count, V (&window)[N]) {
  constexpr Stage stage = P::stage(S);
  constexpr Place out = One::output(S);
  V v = window[0];
  if constexpr (stage.pool < 0) {
    v = single.template ride<S, stage.first + 1, stage.last>(p, v);
  } else {
    constexpr int height = P::op(stage.pool).window.height, width = P::op(stage.pool).window.width;
    unroll<N>([&](int k) SINTER_LAMBDA {
      const int down = k / width, across = k % width;
      const Position pixel{p.channel, p.y * height + down, p.x * width + across};
      window[k] = single.template ride<S, stage.first + 1, stage.pool, width>(pixel, window[k]);
    });
    v = pool_window<P::op(stage.pool).average>(window);
    v = single.template ride<S, stage.pool + 1, stage.last>(p, v);
  }
  if constexpr (ImageBlocks<P, S>::in_one_row && out.bordered()) {
    alignas(64) typename P::Scalar pixels[V::lanes];
    v.store(pixels);
    for (int i = 0; i < std::min(V::lanes, count); i += out.dims.width)
      std::copy_n(pixels + i, out.dims.width, single.at(out.at(p.channel, (p.x + i) / out.dims.width, 0)));
  } else {
    store_first(v, single.at(out.at(p.channel, p.y, p.x)), count);
  }
}

/// A convolution by Winograd's F(2, 3), with the pixels of a row in the lanes.
template <class P, int S, class One>
void single_winograd(const One& single) {
  using Image = WinogradImage<P, S>;
  using Blocks = ImageBlocks<P, S>;
  using B = typename Blocks::B;
  const auto weight = single.template parameter<B::op.weight>();
  const typename P::Scalar* bias = nullptr;
  if constexpr (B::op.with_bias) bias = single.template parameter<B::op.bias>();
  const Image image{single.memory + SinglePlan<P>::scratch};
  image.transform_weights_of(weight);
  // The last rows reach back, as do the last channels and pixels.
  overlapping_blocks<Blocks::step>(B::computed.height, [&](int y) {
    image.transform_rows(single, One::input(S), y * B::unit.height);
    overlapping_blocks<Blocks::channels>(B::outputs, [&](int channel) {
      for (int begin = 0; begin < Blocks::width; begin += Blocks::chunk) {
        const int x = Blocks::chunk_from(begin);
        typename P::V sum[Blocks::channels][Blocks::rows * Blocks::packs];
        image.sums(bias, channel, x, sum);
        for_each_window<P, S>(sum, y, x, [&](int c, int row, int at, int count, auto& window) SINTER_LAMBDA {
          finish_window<P, S>(single, Position{channel + c, row, at}, count, window);
        });
      }
    });
  });
}

/// A convolution with the pixels of a row in the lanes.
template <class P, int S, class One>
void single_convolution(const One& single) {
  using T = typename P::Scalar;
  using Blocks = ImageBlocks<P, S>;
  using B = typename Blocks::B;
  constexpr Place in = One::input(S);
  static constexpr WindowStrides strides = B::strides(in, 1);
  const auto weight = single.template parameter<B::op.weight>();
  const T* bias = nullptr;
  if constexpr (B::op.with_bias) bias = single.template parameter<B::op.bias>();

  constexpr bool in_memory = shares_image_sums<P, S, decltype(weight)>(Blocks::channels, Blocks::rows * Blocks::packs);
  for (int group = 0; group < B::w.groups; ++group)
    overlapping_blocks<Blocks::channels>(B::outputs, [&](int first) {
      const int channel = group * B::outputs + first;
      // The last rows reach back. As a lambda this loop is slower (docs/decisions/host.md).
      for (int top = 0; top < Blocks::computed.height; top += Blocks::step) {
        const int y = std::min(top, Blocks::computed.height - Blocks::step);
        for (int begin = 0; begin < Blocks::width; begin += Blocks::chunk) {
          const int x = Blocks::chunk_from(begin);
          typename P::V sum[Blocks::channels][Blocks::rows * Blocks::packs];
          const T* pixels = single.at(in.begin()) + first_pixel<B>(in, channel, y * B::unit.height, x);
          image_sums<P, S, Blocks::rows>(pixels, strides, weight, bias, channel, sum);
          for_each_window<P, S, in_memory>(sum, y, x,
                                           [&](int c, int row, int at, int count, auto& window) SINTER_LAMBDA {
                                             finish_window<P, S>(single, Position{channel + c, row, at}, count, window);
                                           });
        }
      }
    });
}

/// The same by copies of the pixels that all channels read one after another.
template <class P, int S, class One>
void single_packed_convolution(const One& single) {
  using T = typename P::Scalar;
  using Blocks = ImageBlocks<P, S>;
  using Packed = PackedPixels<P, S>;
  using B = typename Blocks::B;
  constexpr Place in = One::input(S);
  const auto weight = single.template parameter<B::op.weight>();
  const T* bias = nullptr;
  if constexpr (B::op.with_bias) bias = single.template parameter<B::op.bias>();
  T* const packed = single.memory + SinglePlan<P>::scratch;

  for (int group = 0; group < B::w.groups; ++group)
    overlapping_blocks<Blocks::step>(Blocks::computed.height, [&](int y) {
      for (int begin = 0; begin < Blocks::width; begin += Blocks::chunk) {
        const int x = Blocks::chunk_from(begin);
        Packed::copy(single.at(in.begin()) + first_pixel<B>(in, group * B::outputs, y, x), in, packed);
        overlapping_blocks<Blocks::channels>(B::outputs, [&](int first) {
          int channel[Blocks::channels];
          unroll<Blocks::channels>([&](int c) SINTER_LAMBDA { channel[c] = group * B::outputs + first + c; });
          typename P::V sum[Blocks::channels][Blocks::rows * Blocks::packs];
          image_sums_of<P, S, PackedShape<B>, 1>(packed, Packed::strides, weight, bias, channel, sum,
                                                 [](const T* pixel, int kx)
                                                     SINTER_LAMBDA { return Packed::load(pixel, kx); });
          for_each_window<P, S>(sum, y, x, [&](int c, int row, int at, int count, auto& window) SINTER_LAMBDA {
            finish_window<P, S>(single, Position{channel[c], row, at}, count, window);
          });
        });
      }
    });
}

/// Panels panels of 16 outputs of W from number `panel` on: see single_matmul_by_panels.
template <class P, int S, int Panels, class One>
SINTER_INLINE void single_panels(const One& single, PanelWeight weight, int panel) {
  using V = typename P::V;
  constexpr int width = PanelWeight::panel, L = P::lanes, packs = width / L;
  constexpr int in = P::source(S).in.size(), out = P::source(S).out.size();
  const auto* x = single.at(One::input(S).begin());
  const auto* numbers = weight.numbers + static_cast<std::ptrdiff_t>(panel) * in * width;
  V sum[Panels * packs][1];
  unroll<Panels * packs>([&](int i) SINTER_LAMBDA {
    sum[i][0] = V(0);
    if constexpr (P::source(S).with_bias)  // padded as a panel is
      sum[i][0] = V::load(single.template parameter<P::source(S).bias>() + panel * width + i * L);
  });
  contract(
      sum,
      [](auto&& f) SINTER_LAMBDA {
        for (int k = 0; k < in; ++k) f(k);
      },
      [&](int i, int k) SINTER_LAMBDA {
        const int p = i / packs, pack = i % packs;
        return V::load(numbers + (static_cast<std::ptrdiff_t>(p) * in + k) * width + pack * L);
      },
      [&](int, int k) SINTER_LAMBDA { return V(x[k]); });
  unroll<Panels * packs>([&](int i) SINTER_LAMBDA {
    const int first = panel * width + i * L;
    if (first < out) single.template finish<S>(Position{first, 0, 0}, sum[i][0], out - first);
  });
}

/// y = W x + b with W in panels, as fast as its memory: 8 sums at a time, for the latency of fma.
template <class P, int S, class One>
void single_matmul_by_panels(const One& single, PanelWeight weight) {
  constexpr int panels = divide_up(P::source(S).out.size(), PanelWeight::panel), together = std::max(1, P::lanes / 2);
  int panel = 0;
  for (; panel + together <= panels; panel += together) single_panels<P, S, together>(single, weight, panel);
  if constexpr (panels % together != 0) single_panels<P, S, panels % together>(single, weight, panel);
}

/// y = W x + b with the outputs in the lanes: blocks of W are transposed as they are read, 2 blocks of outputs at a
/// time so that two chains of fma overlap; of a single lane 4, for each number of x that is read.
template <class P, int S, class One>
void single_matmul_by_rows(const One& single) {
  using V = typename P::V;
  constexpr Op op = P::source(S);
  constexpr int L = P::lanes, in = op.in.size(), out = op.out.size();
  constexpr int blocks = std::min(L == 1 ? 4 : 2, divide_up(out, L));
  const auto weight = single.template parameter<P::source(S).weight>();
  const auto* x = single.at(One::input(S).begin());

  for (int begin = 0; begin < out; begin += blocks * L) {
    // The last block reaches back; with fewer outputs than lanes the last one is repeated.
    const int m = begin + blocks * L <= out || out < blocks * L ? begin : out - blocks * L;
    V sum[blocks];
    int row[blocks][L];
    unroll<blocks>([&](int b) SINTER_LAMBDA {
      unroll<L>([&](int i) SINTER_LAMBDA {
        const int at = m + b * L + i;
        row[b][i] = at < out ? at : out - 1;
      });
      sum[b] = V(0);
      if constexpr (P::source(S).with_bias) {  // nvcc cannot read it from `op` here
        const auto* bias = single.template parameter<P::source(S).bias>();
        typename P::Scalar start[L];
        unroll<L>([&](int i) SINTER_LAMBDA { start[i] = bias[row[b][i]]; });
        sum[b] = V::load(start);
      }
    });
    const auto add_columns = [&](int k, auto at) SINTER_LAMBDA {  // at(b, i): of row i of block b, from column k on
      unroll<blocks>([&](int b) SINTER_LAMBDA {
        V column[L];
        unroll<L>([&](int i) SINTER_LAMBDA { column[i] = at(b, i); });
        transpose(column);
        unroll<L>([&](int i) SINTER_LAMBDA { sum[b] = fma(column[i], V(x[k + i]), sum[b]); });
      });
    };
    int k = 0;
    // Rows are copied first, some lines at a time (docs/decisions/host.md).
    if constexpr (rows_share_a_set<typename P::Scalar>(in) && std::is_pointer_v<decltype(weight)>) {
      constexpr int chunk = 16 * L, stride = chunk + 16;
      alignas(64) typename P::Scalar copy[blocks * L * stride];
      for (; k + chunk <= in; k += chunk) {
        unroll<blocks * L>(
            [&](int i) SINTER_LAMBDA { std::copy_n(weight + row[i / L][i % L] * in + k, chunk, copy + i * stride); });
        for (int j = 0; j < chunk; j += L)
          add_columns(k + j, [&](int b, int i) SINTER_LAMBDA { return V::load(copy + (b * L + i) * stride + j); });
      }
    }
    for (; k + L <= in; k += L)
      add_columns(k, [&](int b, int i) SINTER_LAMBDA { return load_weights<V>(row_of(weight, row[b][i], in), k); });
    if constexpr (in % L != 0)
      for (; k < in; ++k)
        unroll<blocks>([&](int b) SINTER_LAMBDA {
          V column;
          unroll<L>([&](int i) SINTER_LAMBDA { column.set(i, row_of(weight, row[b][i], in)[k]); });
          sum[b] = fma(column, V(x[k]), sum[b]);
        });
    unroll<blocks>([&](int b) SINTER_LAMBDA {
      const int first = m + b * L;
      single.template finish<S>(Position{first, 0, 0}, sum[b], out - first);
    });
  }
}

template <>
struct SingleKernel<Source::matmul> {
  template <class P, int S, class One>
  static void forward(const One& single) {
    const auto weight = single.template parameter<P::source(S).weight>();
    if constexpr (std::is_same_v<std::remove_const_t<decltype(weight)>, PanelWeight>)
      single_matmul_by_panels<P, S>(single, weight);
    else
      single_matmul_by_rows<P, S>(single);
  }
};

template <>
struct SingleKernel<Source::convolution> {
  template <class P, int S, class One>
  SINTER_INLINE static void forward(const One& single) {
    if constexpr (P::by_winograd(S))
      single_winograd<P, S>(single);
    else if constexpr (ImageBlocks<P, S>::packed)
      single_packed_convolution<P, S>(single);
    else
      single_convolution<P, S>(single);
  }
};

}  // namespace host_kernels

SINTER_NAMESPACE_END
