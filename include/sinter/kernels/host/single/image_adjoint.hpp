// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <limits>
#include <type_traits>
#include <utility>

#include "sinter/kernels/host/plan/weight_rows.hpp"
#include "sinter/kernels/host/products/blocks.hpp"
#include "sinter/kernels/host/single/single_plan.hpp"
#include "sinter/kernels/host/stages/convolution_adjoint.hpp"

SINTER_NAMESPACE_BEGIN

namespace host_kernels {

/// A transposed convolution of one image at a time, with pixels of a row that are a stride apart in the lanes. Every
/// output is the same chain of fma as in the tile, so the results are the same to the bit. Images are as for
/// image_convolution.hpp.
template <class P, int S>
struct ImagePhases {
  using Phases = PhaseBlocks<P, S>;
  using B = typename Phases::B;
  using T = typename P::Scalar;
  using V = typename P::V;
  static constexpr int L = P::lanes, stride = Phases::stride, down = B::w.stride_height;
  /// Pixels of a row in the largest phase.
  static constexpr int width = Phases::count(0);

  /// Whether the same taps reach `rows` rows, a stride apart, from row y on.
  static constexpr bool same_taps(int y, int rows) {
    const ReachingRows<B> first(y);
    for (int r = 1; r < rows; ++r) {
      const ReachingRows<B> other(y + r * down);
      if (other.count != first.count || (first.count > 0 && other.first_tap != first.first_tap)) return false;
    }
    return y + (rows - 1) * down < B::image.height;
  }
  /// f(y, together) for all rows: `rows` rows, a stride apart, from row y on, where the same taps reach them, or one.
  template <class F>
  SINTER_INLINE static constexpr void for_each_rows(int rows, F&& f) {
    for (int phase = 0; phase < down; ++phase)
      for (int y = phase; y < B::image.height;) {
        const bool together = same_taps(y, rows);
        f(y, together);
        y += (together ? rows : 1) * down;
      }
  }

  /// From a row of results to the next one, with the border between them.
  static constexpr int results_row = Single<P>::input(S).stride_y();
  /// Whether a phase of several rows, a stride apart, is computed as one row with what is between them: where a pack
  /// has room for more than one.
  static constexpr bool as_one(int rows) { return width <= L && packs_as_one(rows) < rows; }
  static constexpr int packs_as_one(int rows) { return divide_up((rows - 1) * results_row + width, L); }
  static constexpr int packs_of(int rows, int packs) { return as_one(rows) ? packs_as_one(rows) : rows * packs; }

  static constexpr ImageBlock best = [] {
    constexpr int registers = P::ISA::registers, most_rows = std::min(divide_up(B::image.height, down), registers);
    long together[most_rows + 1]{}, alone[most_rows + 1]{};
    for (int rows = 1; rows <= most_rows; ++rows)
      for_each_rows(rows, [&](int, bool whole) { ++(whole ? together : alone)[rows]; });
    const ImageBlock most{std::min(B::inputs, registers), most_rows, divide_up(width, L)};
    return best_image_block(most, [&](ImageBlock block) {
      const Block sums{block.channels, packs_of(block.rows, block.packs)}, one{block.channels, block.packs};
      if (!sums.fits(registers)) return std::numeric_limits<long>::max();
      return (together[block.rows] * sums.cost() + alone[block.rows] * one.cost()) *
             divide_up(B::inputs, block.channels) * divide_up(divide_up(width, L), block.packs);
    });
  }();
  static constexpr int chunk = best.packs * L;

  /// sum[c][m] of phase Phase: channel i + c of a group, and the m-th of the packs of `Rows` rows. `results` is the
  /// place, in the first row and channel, of the pixel with the number of the first of these.
  template <int Phase, int Rows, class Weight, int C, int M>
  SINTER_INLINE static void sums(const T* results, Place place, Weight weight, const ReachingRows<B>& reaching,
                                 int group, int i, V (&sum)[C][M]) {
    constexpr int taps = B::w.taps();
    const auto windows = windows_of_results<Phases, 1>(results, place, Phase, reaching);
    add_windows<typename Phases::template BlockShape<Phases::meeting(Phase), 1>, as_one(Rows) ? 1 : Rows>(
        windows, Phases::strides(place, 1, Phase), sum,
        [&](int c, int o, int at)
            SINTER_LAMBDA { return row_of(weight, group * B::outputs + o, B::inputs * taps)[(i + c) * taps + at]; },
        [](const T* pixel, int) SINTER_LAMBDA { return V::load(pixel); });
  }

  /// Pack k of the pixels of a row, from those of its phases: every `stride`-th, from number j on, begins at `first` of
  /// phases[j].
  template <int K, int Size>
  SINTER_INLINE static V interleaved(const T (&phases)[stride][Size], int first) {
    if constexpr (stride == 1) {
      return V::load(phases[0] + first + K * L);
    } else if constexpr (stride == 2 && L > 1) {
      const int from = first + K / 2 * L;
      return pairs<K % 2 * L / 2>(V::load(phases[0] + from), V::load(phases[1] + from),
                                  std::make_integer_sequence<int, L>{});
    } else {
      V v(0);
      unroll<L>([&](int lane) SINTER_LAMBDA {
        const int x = K * L + lane;
        v.set(lane, phases[x % stride][first + x / stride]);
      });
      return v;
    }
  }

 private:
  template <int First, int... Lane>
  SINTER_INLINE static V pairs(V even, V odd, std::integer_sequence<int, Lane...>) {
    return fn::shuffle<(First + Lane / 2 + Lane % 2 * L)...>(even, odd);
  }
};

/// Rows of the image of one block: `Rows` of them, a stride apart, from row y on; channels from `i` on of a group.
template <class P, int S, int Rows, class One>
SINTER_INLINE void single_adjoint_rows(const One& single, int group, int i, int y) {
  using Image = ImagePhases<P, S>;
  using B = typename Image::B;
  using T = typename P::Scalar;
  using V = typename P::V;
  constexpr int C = Image::best.channels, N = Image::best.packs, L = P::lanes, M = Image::packs_of(Rows, N);
  // Numbers from a row to the next one; what a pack of the last row reads after its last pixel is not used.
  constexpr int row = Image::as_one(Rows) ? Image::results_row : N * L,
                size = std::max(M * L, (Rows - 1) * row + N * L);
  constexpr Place from = One::input(S);
  const auto weight = single.template parameter<B::op.weight>();
  const ReachingRows<B> reaching(y);
  for (int begin = 0; begin < Image::width; begin += Image::chunk) {
    // The last packs reach back.
    const int first =
        begin + Image::chunk <= Image::width || Image::width < Image::chunk ? begin : Image::width - Image::chunk;
    alignas(64) T phases[C][Image::stride][size];
    unroll<Image::stride>([&](auto phase) SINTER_LAMBDA {
      V sum[C][M];
      unroll<C>([&](int c) SINTER_LAMBDA {
        V start(0);
        if constexpr (B::op.with_bias) start = V(single.template parameter<B::op.bias>()[group * B::inputs + i + c]);
        unroll<M>([&](int m) SINTER_LAMBDA { sum[c][m] = start; });
      });
      Image::template sums<decltype(phase)::value, Rows>(single.at(from.at(group * B::outputs, 0, first)), from, weight,
                                                         reaching, group, i, sum);
      unroll<C>([&](int c) SINTER_LAMBDA {
        unroll<M>([&](int m) SINTER_LAMBDA { sum[c][m].store(phases[c][decltype(phase)::value] + m * L); });
      });
    });
    for (int c = 0; c < C; ++c)
      for (int r = 0; r < Rows; ++r)
        unroll<N * Image::stride>([&](auto k) SINTER_LAMBDA {
          const int x = first * Image::stride + decltype(k)::value * L;
          if (x < B::image.width)
            single.template finish<S>(Position{group * B::inputs + i + c, y + r * Image::down, x},
                                      Image::template interleaved<decltype(k)::value>(phases[c], r * row),
                                      B::image.width - x);
        });
  }
}

/// A transposed convolution.
template <>
struct SingleKernel<Source::transposed> {
  template <class P, int S, class One>
  static void forward(const One& single) {
    using Image = ImagePhases<P, S>;
    using B = typename Image::B;
    for (int group = 0; group < B::w.groups; ++group)
      overlapping_blocks<Image::best.channels>(B::inputs, [&](int i) {
        Image::for_each_rows(Image::best.rows, [&](int y, bool together) {
          if (together)
            single_adjoint_rows<P, S, Image::best.rows>(single, group, i, y);
          else
            single_adjoint_rows<P, S, 1>(single, group, i, y);
        });
      });
  }
};

}  // namespace host_kernels

SINTER_NAMESPACE_END
