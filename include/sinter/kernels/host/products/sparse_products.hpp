// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "sinter/core/bytes.hpp"
#include "sinter/core/compress.hpp"
#include "sinter/core/pack.hpp"
#include "sinter/core/transpose.hpp"
#include "sinter/core/unroll.hpp"
#include "sinter/kernels/host/products/blocks.hpp"
#include "sinter/kernels/host/products/contract.hpp"

SINTER_NAMESPACE_BEGIN

namespace host_kernels {

/// The non-zeros of a gradient, a list for each channel of each sample of a tile: numbers, and where the window begins
/// that each of them is multiplied by. An offset counts numbers of a sample as the products see it: images with the
/// channels last, or plain rows of the input.
template <class T>
struct NonZeros {
  using Offset = integer_of<T>;
  T* values;        // [channel][sample][length]
  Offset* offsets;  // likewise
  Offset* counts;   // [channel][sample]
  int channels, length;
};

/// A gradient as packs of samples, [channel][pixels], that a pool may have taken from windows of `Height` x `Width`
/// pixels; `which` has the element that each sample's pool took, a byte for each lane.
template <class T>
struct PooledGradient {
  const T* dy;
  const std::uint8_t* which;
  int pixels;
  std::ptrdiff_t channel;        // numbers from a channel of dy to the next
  const integer_of<T>* windows;  // offset of the window of each pixel, [pixels rounded up to packs]
  integer_of<T> below, beside;   // from the window of an element of a pool to the neighbours'
  T* bias;                       // gets the sums over pixels and samples, unless it is null
};

/// Writes the lists.
template <class Isa, class V, int Height, int Width, class T>
SINTER_SHARED void list_non_zeros(const PooledGradient<T>& given, const NonZeros<T>& to) {
  using Offset = integer_of<V>;
  using OffsetValue = integer_of<T>;
  constexpr int L = V::lanes, taps = Height * Width;
  const PooledGradient<T> from = given;  // copies: what a reference leads to is loaded again after every store
  const NonZeros<T> lists = to;
  Offset move[taps];
  unroll<taps>([&](int t) SINTER_LAMBDA { move[t] = Offset(t / Width * from.below + t % Width * from.beside); });
  for (int o = 0; o < lists.channels; ++o) {
    const T* const dy = from.dy + o * from.channel;
    const std::uint8_t* const which = from.which + static_cast<std::ptrdiff_t>(o) * from.pixels * L;
    OffsetValue count[L] = {};
    V total(0);
    for (int first = 0; first < from.pixels; first += L) {
      V g[L], winner[L];
      unroll<L>([&](int i) SINTER_LAMBDA {
        g[i] = winner[i] = V(0);
        const int pixel = first + i;
        if (pixel < from.pixels) {
          g[i] = V::load(dy + pixel * L);
          if constexpr (taps > 1) {
            const V element = load_bytes<V>(which + pixel * L);
            Offset at(0);
            unroll<taps - 1>([&](auto k) SINTER_LAMBDA {
              constexpr int t = decltype(k)::value + 1;
              at = fn::bit_cast<Offset>(
                  fn::select(element == V(static_cast<T>(t)), fn::bit_cast<V>(move[t]), fn::bit_cast<V>(at)));
            });
            winner[i] = fn::bit_cast<V>(at);
          }
        }
        total += g[i];
      });
      transpose(g);
      transpose(winner);
      const Offset begin = Offset::load(from.windows + first);
      unroll<L>([&](int i) SINTER_LAMBDA {
        const int list = (o * L + i) * lists.length + static_cast<int>(count[i]);
        count[i] += compress_non_zeros(g[i], fn::bit_cast<Offset>(winner[i]) + begin, lists.values + list,
                                       lists.offsets + list);
      });
    }
    std::memcpy(lists.counts + o * L, count, sizeof count);
    if (from.bias) from.bias[o] += fn::sum(total);
  }
}

/// A window in images with the channels last, `Parts` wide packs of them for each pixel: numbers from a row of taps to
/// the next, and from a tap.
template <int Height, int Width, int RowStep, int TapStep, int Parts>
struct SparseWindow {
  static constexpr int height = Height, width = Width, row_step = RowStep, tap_step = TapStep, parts = Parts;
};
/// `Rows` rows of taps of it: how many packs, and where pack n is after the start of the first row.
template <class Window, int Rows, int Lanes>
struct PacksOfRows {
  static constexpr int count = Rows * Window::width * Window::parts;
  static constexpr int at(int n) {
    const int tap = n / Window::parts;
    return tap / Window::width * Window::row_step + tap % Window::width * Window::tap_step + n % Window::parts * Lanes;
  }
};
/// The rows of taps of `Channels` plain images, a pack for each.
template <int Channels, int Height, int ChannelStep, int RowStep>
struct PacksOfPlainRows {
  static constexpr int count = Channels * Height;
  static constexpr int at(int n) { return n / Height * ChannelStep + n % Height * RowStep; }
};

/// f(number of rows, first row) over the rows of taps of a window, as a constant number of them: as many as registers
/// hold at once.
template <class Isa, class Window, class F>
SINTER_INLINE void for_each_rows(F&& f) {
  constexpr int of_row = Window::width * Window::parts, budget = sparse_sums(Isa::registers);
  constexpr int at_once = of_row * Window::height <= budget ? Window::height : (of_row <= budget ? budget / of_row : 1);
  int row = 0;
  for (; row + at_once <= Window::height; row += at_once) f(std::integral_constant<int, at_once>{}, row);
  if constexpr (Window::height % at_once != 0)
    for (; row < Window::height; ++row) f(std::integral_constant<int, 1>{}, row);
}

/// to[n] += the sum over the non-zeros g of channel o of g times pack n of x in its window; x has `sample` numbers for
/// each sample.
template <class Packs, class V, int Samples, class T>
SINTER_INLINE void add_sparse_products(const NonZeros<T>& of, int o, const T* x, std::ptrdiff_t sample, T* to) {
  constexpr int N = Packs::count;
  V sum[N][1];
  unroll<N>([&](int n) SINTER_LAMBDA { sum[n][0] = V::load(to + n * V::lanes); });
  contract(
      sum,
      [&](auto&& f) SINTER_LAMBDA {
        for (int s = 0; s < Samples; ++s) {
          const int list = (o * Samples + s) * of.length;
          const int count = static_cast<int>(of.counts[o * Samples + s]);
          for (int i = list; i < list + count; ++i) f(x + s * sample + of.offsets[i], of.values[i]);
        }
      },
      [&](int n, const T* window, T) SINTER_LAMBDA { return V::load(window + Packs::at(n)); },
      [&](int, const T*, T g) SINTER_LAMBDA { return V(g); });
  unroll<N>([&](int n) SINTER_LAMBDA { sum[n][0].store(to + n * V::lanes); });
}
/// dW, [channel][row] numbers, from plain rows of the samples. Reads up to a pack after the last pixel of the last row.
template <class Isa, class Packs, class V, int Samples, class T>
SINTER_SHARED void add_sparse_rows(const NonZeros<T>& given, const T* x, std::ptrdiff_t sample, T* to, int row) {
  const NonZeros<T> of = given;
  for (int o = 0; o < of.channels; ++o) add_sparse_products<Packs, V, Samples>(of, o, x, sample, to + o * row);
}
/// The same from images with the channels last.
template <class Isa, class Window, class V, int Samples, class T>
SINTER_SHARED void add_sparse_windows(const NonZeros<T>& given, const T* x, std::ptrdiff_t sample, T* to, int row) {
  const NonZeros<T> of = given;
  for_each_rows<Isa, Window>([&](auto rows, int first) SINTER_LAMBDA {
    using Packs = PacksOfRows<Window, decltype(rows)::value, V::lanes>;
    constexpr int packed_row = Window::width * Window::parts * V::lanes;
    for (int o = 0; o < of.channels; ++o)
      add_sparse_products<Packs, V, Samples>(of, o, x + first * Window::row_step, sample,
                                             to + o * row + first * packed_row);
  });
}

/// dx, images with the channels last: the window of each non-zero gets it times the weights of its channel.
template <class Isa, class Window, class V, int Samples, class T>
SINTER_SHARED void scatter_sparse_windows(const NonZeros<T>& given, const T* weight, int row, T* dx,
                                          std::ptrdiff_t sample) {
  const NonZeros<T> of = given;
  std::fill_n(dx, Samples * sample, T(0));
  for (int s = 0; s < Samples; ++s)
    for_each_rows<Isa, Window>([&](auto rows, int first) SINTER_LAMBDA {
      using Packs = PacksOfRows<Window, decltype(rows)::value, V::lanes>;
      constexpr int N = Packs::count, packed_row = Window::width * Window::parts * V::lanes;
      T* const to = dx + s * sample + first * Window::row_step;
      for (int o = 0; o < of.channels; ++o) {
        const int list = (o * Samples + s) * of.length;
        const int count = static_cast<int>(of.counts[o * Samples + s]);
        if (count == 0) continue;
        const T* const from = weight + o * row + first * packed_row;
        V weights[N];
        unroll<N>([&](int n) SINTER_LAMBDA { weights[n] = V::load(from + n * V::lanes); });
        for (int i = list; i < list + count; ++i) {
          const V g(of.values[i]);
          T* const window = to + of.offsets[i];
          unroll<N>([&](int n) SINTER_LAMBDA {
            T* const at = window + Packs::at(n);
            fn::fma(g, weights[n], V::load(at)).store(at);
          });
        }
      }
    });
}

/// Packs of samples, of images with `channel` and `line` numbers from a channel and a row to the next, as images of
/// each sample with the channels last, `padded` of them: zeros after the last.
template <class Isa, class V, class T>
SINTER_SHARED void packs_to_images(const T* packs, std::ptrdiff_t channel, std::ptrdiff_t line, int channels,
                                   int height, int width, int padded, T* images) {
  constexpr int L = V::lanes;
  const std::ptrdiff_t sample = static_cast<std::ptrdiff_t>(height) * width * padded;
  for (int c = 0; c < padded; c += L) {
    T* to = images + c;
    for (int y = 0; y < height; ++y)
      for (int x = 0; x < width; ++x, to += padded)
        transposed_copy<V>(
            [&](int i) SINTER_LAMBDA {
              return c + i < channels ? V::load(packs + (c + i) * channel + y * line + x * L) : V(0);
            },
            [&](int i, V v) SINTER_LAMBDA { v.store(to + i * sample); });
  }
}

/// dW of a slot += its sums: [channel][tap][padded inputs] to [channel][input][tap].
template <class Isa, class V, class T>
SINTER_SHARED void add_packed_taps(const T* from, int row, int padded, int outputs, int inputs, int taps, T* to) {
  constexpr int L = V::lanes;
  const int by_packs = taps / L * L;  // most taps go by packs
  for (int o = 0; o < outputs; ++o, from += row, to += inputs * taps) {
    for (int c = 0; c < inputs; ++c)
      for (int t = by_packs; t < taps; ++t) to[c * taps + t] += from[t * padded + c];
    for (int t = 0; t < by_packs; t += L)
      for (int c = 0; c < inputs; c += L)
        transposed_copy<V>([&](int i) SINTER_LAMBDA { return V::load(from + (t + i) * padded + c); },
                           [&](int i, V added) SINTER_LAMBDA {
                             T* const at = to + (c + i) * taps + t;
                             if (c + i < inputs) (V::load(at) + added).store(at);
                           });
  }
}
/// The same of sums with the taps of a row in the lanes: [channel][input][row of taps][lanes].
template <class Isa, class V, class T>
SINTER_SHARED void add_packed_rows(const T* from, int outputs, int inputs, int height, int width, T* to) {
  for (int row = 0; row < outputs * inputs * height; ++row)
    for (int x = 0; x < width; ++x) to[row * width + x] += from[row * V::lanes + x];
}

}  // namespace host_kernels

SINTER_NAMESPACE_END
