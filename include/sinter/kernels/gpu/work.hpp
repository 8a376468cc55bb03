// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

#include "sinter/device/cuda_products.hpp"
#include "sinter/kernels/gpu/geometry.hpp"

SINTER_NAMESPACE_BEGIN

namespace gpu_kernels {

/// How many rows a team is expected to have: this decides how its work is divided into items. Up to `few` rows there
/// are few items; up to `some`, weights and records are read by fours. `alone`: a team of one thread has one row, and
/// nothing to divide.
struct Expected {
  static constexpr int alone = 1, tile = 2, large = 16, resident = 64, grid = 2048, few = 8, some = 32;
};

/// Whether the threads of a block share the rows of functions and losses: where a tile has few of them, `of_sample` in
/// each sample, and more numbers in one than pay for another barrier.
SINTER_HOST_DEVICE constexpr bool shares_rows(int expected_rows, int of_sample, int numbers) {
  return expected_rows != Expected::alone && expected_rows * of_sample <= Expected::resident && numbers > 4;
}

/// The largest power of two up to n; 1 for less.
SINTER_HOST_DEVICE constexpr int power_of_two(int n) {
  int power = 1;
  while (power * 2 <= n) power *= 2;
  return power;
}
SINTER_HOST_DEVICE constexpr int smaller(int a, int b) { return a < b ? a : b; }

inline constexpr int some_parts = 4;                               // of what several rows sum up
inline constexpr int between_parts = 8;                            // of sums of several rows
inline constexpr int most_piece_parts = 16, expected_batch = 128;  // of whole products in pieces
inline constexpr int most_sums = 4096;                             // of a row, of all parts: they take memory

/// A piece of a product that a block computes through its shared memory: few rows where a product has few. A thread
/// has `thread_rows` x 4 sums, and a warp 4 x 8 threads, so that it reads few numbers for them. `Columns` are those of
/// a product with few, which pieces divide nearly evenly; 0 for one with many. `Whole` products have few pieces.
template <class T, int Rows, int Columns = 0, bool Whole = false, CudaProducts Products = CudaProducts::float32>
struct PieceShape {
 private:
  static constexpr int most_warps = 8, multiprocessors = 132, at_once = 512;  // threads of a multiprocessor

 public:
  static constexpr CudaProducts products = sizeof(T) > 4 ? CudaProducts::float32 : Products;
  static constexpr bool tensor = products != CudaProducts::float32, large = !Whole && sizeof(T) <= 4 && Rows > 16;
  static constexpr int columns = Columns;
  static constexpr int pad = tensor ? 8 : 4;  // lanes that read together read different banks
  static constexpr int depth = products == CudaProducts::bf16                               ? 16
                               : sizeof(T) > 4 || (Columns > 0 && Rows <= 32) || Rows <= 16 ? 8
                                                                                            : 16;
  static constexpr int thread_rows = large ? 8 : 4, thread_columns = 4, lanes_high = 4, lanes_wide = 8;
  static constexpr int warp_height = lanes_high * thread_rows, warp_width = lanes_wide * thread_columns;
  static constexpr int height = Rows > 32 ? 64 : Rows > 16 ? 32 : 16, warps_high = height / warp_height;
  static constexpr int warps_wide = [] {
    const int most = most_warps / warps_high;
    if (Columns == 0) return most;
    const auto waste = [](int warps) { return divide_up(Columns, warps * warp_width) * warps; };
    int best = most;
    for (int warps = most - 1; warps > 1; --warps)
      if (waste(warps) < waste(best)) best = warps;
    return best;
  }();
  static constexpr int width = warps_wide * warp_width, threads = 32 * warps_high * warps_wide;

  /// Two buffers for slices of both factors.
  static constexpr std::size_t bytes = 2 * depth * (height + width + 2 * pad) * sizeof(T);

  /// In how many parts the sums of a product of so many columns are cut, so that the multiprocessors are busy.
  static constexpr int parts(int of_product, int most) {
    const int wanted = multiprocessors * (at_once / threads < 4 ? at_once / threads : 4);
    const int parts = wanted / (divide_up(Rows, height) * divide_up(of_product, width));
    return parts < 1 ? 1 : parts < most ? parts : most < 1 ? 1 : most;
  }
};

/// Whether the grid computes a product in pieces: if it is large enough and sums up enough, and a thread has the
/// windows of a pool whole.
template <class G, int ExpectedRows>
inline constexpr bool in_pieces =
    ExpectedRows >= Expected::grid && G::is_product && G::groups == 1 && G::fan_in >= 16 &&
    G::channels * G::fan_in >= (G::whole ? 512 : 256) && 4 % G::positions == 0;

/// How many weights of a row of a whole product are read at once, where a team has few rows: as many as are aligned.
template <class G>
inline constexpr int weights_together = G::inputs % 4 == 0 && G::weight % 4 == 0 ? 4 : 1;

/// How the forward pass of a product is divided. An item has `rows` rows, `block` channels, and one of `parts` parts of
/// what is summed up: with few rows there are too few items otherwise. Another phase then adds the parts, and runs the
/// riders.
template <class G, int ExpectedRows>
struct ForwardWork {
 private:
  static constexpr bool alone = ExpectedRows == Expected::alone, few = !alone && ExpectedRows <= Expected::few,
                        some = !alone && ExpectedRows <= Expected::some;
  static constexpr long others = alone ? least_items : static_cast<long>(ExpectedRows) * G::groups * G::pooled_pixels;
  static constexpr int window_block = [] {
    const int most = divisor(G::group_outputs, G::positions > 1 ? 5 : 8);
    return block_of(G::group_outputs, most, few ? others * G::group_inputs : others);
  }();
  static constexpr int window_parts = [] {
    for (int parts = 1; few && parts < G::group_inputs; ++parts)
      if (G::group_inputs % parts == 0 && others * (G::group_outputs / window_block) * parts >= least_items)
        return parts;
    return few ? G::group_inputs : 1;
  }();

 public:
  static constexpr int rows = alone || !G::whole ? 1 : few ? 2 : 4;
  // Of a whole product in parts neighbouring threads take neighbouring inputs: the weights they read are in one cache
  // line.
  static constexpr bool pieces = in_pieces<G, ExpectedRows>;
  template <class T, CudaProducts Products = CudaProducts::float32>
  using Shape = PieceShape<T, G::channels, 0, G::whole, Products>;
  static constexpr int parts =
      !G::whole ? window_parts
      : pieces  ? Shape<double>::parts(expected_batch, smaller(G::inputs / 64, most_piece_parts))
      : some    ? power_of_two(smaller(smaller(G::inputs / 4, few ? 32 : some_parts), most_sums / G::channels))
                : 1;
  static constexpr int together = G::whole && some ? weights_together<G> : 1;
  static constexpr int block =
      G::whole ? block_of(G::channels, 4, alone ? least_items : static_cast<long>(ExpectedRows / rows) * parts)
               : window_block;
  static constexpr int outputs = G::outputs * G::positions;  // sums of a row
  static constexpr int sums = parts > 1 ? parts*(outputs + 1) : 0;
};

/// How dx = W^T dy of a whole product is divided in the same way: into parts of the channels.
template <class G, int ExpectedRows>
struct InputWork {
  static constexpr bool alone = ExpectedRows == Expected::alone, few = !alone && ExpectedRows <= Expected::few,
                        some = !alone && ExpectedRows <= Expected::some;
  static constexpr int rows = alone ? 1 : few ? 2 : 4;
  static constexpr int block =
      some ? weights_together<G> : block_of(G::inputs, 4, alone ? least_items : ExpectedRows / rows);
  static constexpr bool pieces = in_pieces<G, ExpectedRows>;
  template <class T, CudaProducts Products = CudaProducts::float32>
  using Shape = PieceShape<T, G::whole ? G::inputs : G::in_channels, 0, G::whole, Products>;
  static constexpr int parts =
      G::whole && pieces ? Shape<double>::parts(expected_batch, smaller(G::channels / 64, most_piece_parts))
      : G::whole && some ? power_of_two(smaller(smaller(G::channels / 4, few ? 8 : some_parts), most_sums / G::inputs))
                         : 1;
  static constexpr int together = some && !few && G::channels % (4 * parts) == 0 ? 4 : 1;  // numbers of dy
  static constexpr int sums = parts > 1 ? parts*(G::inputs + 1) : 0;
};

/// How a weight gradient is divided: `items` sums for each of `parts` parts of the rows, or of the rows of windows, so
/// that small layers keep a team busy too: a grid has as many threads as 128 multiprocessors hold in blocks of 512.
/// Another phase adds the parts in their order.
template <class G, int ExpectedRows>
struct WeightWork {
  static constexpr bool by_fours =
      G::whole && ExpectedRows > Expected::few&& ExpectedRows <= Expected::some&& weights_together<G> == 4;
  static constexpr bool alone = ExpectedRows == Expected::alone, grid = ExpectedRows >= Expected::grid;
  static constexpr int most_rows = G::whole ? ExpectedRows / 4 : ExpectedRows * G::pooled_height;
  static constexpr int most_parts = by_fours || alone ? 1 : smaller(grid && !G::whole ? 256 : 16, most_rows);
  static constexpr int wanted = grid ? 1 << 16 : 512;  // threads
  // Outputs of a product.
  static constexpr int block = [] {
    if (!by_fours) return G::whole ? divisor(G::channels, 4) : 1;
    int block = 8;
    while (block > 1 && (G::channels % block != 0 || G::channels / block * (G::inputs / 4) < least_items)) block /= 2;
    return block;
  }();
  // Inputs of a product; of a window input channels, so that neighbouring threads take neighbouring taps, or with few
  // of them taps of a row.
  static constexpr int line_channels = G::whole || divisor(G::group_inputs, 10) < 4 ? 1 : divisor(G::group_inputs, 10);
  static constexpr int line_taps = G::whole || line_channels > 1 ? 1 : divisor(G::kernel_width, 8);
  static constexpr int line = by_fours ? 4 : G::whole ? divisor(G::inputs, 4) : line_channels * line_taps;
  static constexpr int items = G::channels / block * (G::fan_in / line);
  static constexpr int weights = G::channels * G::fan_in;
  static constexpr int biases = G::with_bias ? G::channels : 0;
  static constexpr bool pieces = in_pieces<G, ExpectedRows>;
  template <class T, CudaProducts Products = CudaProducts::float32>
  using Shape = PieceShape<T, G::channels, G::whole ? 0 : G::fan_in, G::whole, Products>;
  static constexpr int parts = pieces ? Shape<float>::parts(G::fan_in, G::whole ? 4 : 264)
                               : items + biases > wanted || most_parts < 2
                                   ? 1
                                   : smaller(wanted / (items + biases), most_parts);
  static constexpr int partials = parts > 1 ? parts*(weights + biases) : 0;
};

}  // namespace gpu_kernels

SINTER_NAMESPACE_END
