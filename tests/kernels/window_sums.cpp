// SPDX-License-Identifier: MIT
// labels: optimised
#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <vector>

#include "sinter/core/isa.hpp"
#include "sinter/kernels/host/products/window_sums.hpp"
#include "support/random_numbers.hpp"

// The kernel of convolutions by its shape alone, without a model: each sum is one chain of fma in the order of
// channels, rows and taps, so its bits are known.
using namespace sinter::internal;
using namespace sinter::internal::host_kernels;

namespace {
using Isa = isa::Native;
constexpr int lanes = Isa::vector_bytes / 4;
using V = Pack<float, lanes>;

/// C results of R rows of N windows, from the middle of an array on.
template <class Shape, int C, int R, int N>
void check_windows(int rows, WindowStrides strides, bool starts) {
  CAPTURE(C);
  CAPTURE(R);
  CAPTURE(N);
  CAPTURE(rows);
  CAPTURE(starts);
  const std::ptrdiff_t middle = 20000, first_weight = 500;
  const auto pixels = random_numbers(40000, 1), weights = random_numbers(1000, 2), start = random_numbers(C, 3);
  const auto pixel = [&](std::ptrdiff_t at) { return pixels[static_cast<std::size_t>(middle + at)]; };
  const auto weight = [&](std::ptrdiff_t at) { return weights[static_cast<std::size_t>(first_weight + at)]; };
  const float* const from = starts ? start.data() : nullptr;

  V shared[C][R * N], constant[C][R * N];
  shared_sum_windows<Isa, Shape, R>(pixels.data() + middle, rows, strides, weights.data() + first_weight, from, shared);
  sum_windows<Shape, R>(Windows<float>{pixels.data() + middle, rows, 2}, strides, weights.data() + first_weight - 2,
                        from, constant);
  for (int c = 0; c < C; ++c)
    for (int m = 0; m < R * N; ++m)
      for (int lane = 0; lane < lanes; ++lane) {
        float sum = starts ? start[static_cast<std::size_t>(c)] : 0;
        for (int i = 0; i < Shape::channels; ++i)
          for (int k = 0; k < rows; ++k)
            for (int tap = 0; tap < strides.taps; ++tap)
              sum = std::fma(weight(c * Shape::result + i * Shape::channel + k * strides.weight_row + tap * Shape::tap),
                             pixel(i * strides.channel + k * strides.row + tap * strides.tap + m / N * strides.down +
                                   m % N * Shape::across + lane * Shape::stride),
                             sum);
        CHECK(shared[c][m][lane] == sum);
        CHECK(constant[c][m][lane] == sum);
      }
}

/// Forward: weights [results][Channels][rows][Taps].
template <int C, int R, int N, int Channels, int Rows, int Taps, int Dilation, int Stride>
void check_forward() {
  using Shape = WindowShape<Channels, Taps, Channels * Rows * Taps, Rows * Taps, 1, Dilation == 1 ? 1 : 0, Stride,
                            Stride * lanes>;
  const int width = 9 * lanes + 3;
  for (const bool starts : {false, true})
    check_windows<Shape, C, R, N>(
        Rows,
        {.channel = 7 * width, .row = width, .tap = Dilation, .down = 2 * width, .weight_row = Taps, .taps = Taps},
        starts);
}
}  // namespace

TEST_CASE("sums of the windows of a convolution, samples or pixels in the lanes") {
  check_forward<1, 1, 1, 1, 1, 1, 1, 1>();
  check_forward<3, 2, 2, 2, 3, 3, 1, 1>();
  check_forward<5, 1, 3, 4, 2, 5, 3, 1>();
  check_forward<2, 2, 1, 3, 1, 2, 1, 2>();
  check_forward<2, 1, 2, 1, 2, 3, 2, 3>();
  check_forward<1, 1, 2, 1, 1, 40, 1, 1>();  // a loop over taps
}

TEST_CASE("sums of its adjoint, from the last tap to the first") {
  using Dense = WindowShape<3, 4, 4, 20, -1, lanes, 1, lanes>;
  using Apart = WindowShape<3, 2, 4, 20, -2, 0, 1, lanes>;
  using Counted = WindowShape<3, any_taps, 4, 20, -2, 0, 1, lanes>;
  for (const int rows : {0, 1, 3}) {
    const int width = 11 * lanes;
    WindowStrides strides{.channel = 5 * width, .row = -width, .tap = lanes, .down = width, .weight_row = 8, .taps = 4};
    check_windows<Dense, 4, 1, 3>(rows, strides, true);
    strides.tap = 3 * lanes;
    strides.taps = 2;
    check_windows<Apart, 2, 2, 2>(rows, strides, false);
    check_windows<Counted, 2, 2, 2>(rows, strides, true);
  }
}
