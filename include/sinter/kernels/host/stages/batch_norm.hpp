// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/kernels/host/stages/pointwise.hpp"
#include "sinter/kernels/host/stages/stage_kernel.hpp"

SINTER_NAMESPACE_BEGIN

namespace host_kernels {

/// Runs a statistics or normalize stage S on a tile: the two share the numbers in BatchMemory.
template <class Tile, int S>
struct BatchNormStage {
  using P = typename Tile::Plan;
  using T = typename Tile::T;
  using V = typename Tile::V;
  using Memory = BatchMemory<typename P::Cut::Model>;
  using Row = typename Memory::Row;

  static constexpr int first = P::stage(S).first, input = P::stage(S).input;
  static constexpr Op op = P::op(first);
  static constexpr Dims dims = op.in;
  static constexpr int normalize = op.kind == OpKind::normalize ? first : Memory::normalize_of(first);

  const Tile& tile;

  SINTER_INLINE V of_batch(Row row, int channel) const { return V(tile.of_batch(normalize, row)[channel]); }
  SINTER_INLINE V load(int channel, int y, int x) const {
    return tile.load(value_at<Tile, input>(Position{channel, y, x}, dims));
  }
  double* partial(int channel) const { return tile.partial_of(normalize) + 2 * channel; }

  /// The mean of each channel over the rows of a tile, and the sum of (x - mean)^2. The mean is rounded to T first;
  /// what is left over corrects both.
  void gather() const {
    const double count = static_cast<double>(tile.rows) * dims.pixels();
    const auto real = tile.real_lanes();
    for (int c = 0; c < dims.channels; ++c) {
      V total(0), rest(0), squares(0);
      for (int y = 0; y < dims.height; ++y)
        for (int x = 0; x < dims.width; ++x) total += load(c, y, x);
      const V middle(static_cast<T>(static_cast<double>(sum(select(real, total, V(0)))) / count));
      for (int y = 0; y < dims.height; ++y)
        for (int x = 0; x < dims.width; ++x) {
          const V apart = load(c, y, x) - middle;
          rest += apart;
          squares = fma(apart, apart, squares);
        }
      const double off = static_cast<double>(sum(select(real, rest, V(0)))) / count;
      partial(c)[0] = static_cast<double>(middle[0]) + off;
      partial(c)[1] = fma(-off * off, count, static_cast<double>(sum(select(real, squares, V(0)))));
    }
  }

  /// y = (x - mean) scale + shift, and its riders.
  void forward() const {
    for (int c = 0; c < dims.channels; ++c) {
      const V mean = of_batch(Memory::mean, c), scale = of_batch(Memory::scale, c), shift = of_batch(Memory::shift, c);
      for (int y = 0; y < dims.height; ++y)
        for (int x = 0; x < dims.width; ++x) {
          V one[1] = {normalize_channel(load(c, y, x), mean, scale, shift)};
          ride<Tile, S, first + 1>(tile, Position{c, y, x}, one);
        }
    }
  }
  /// dw, db and what goes to the statistics are sums of dy and of dy (x - mean); x itself gets scale dy.
  void backward() const {
    constexpr Place dy = Tile::gradient_of(S);
    for (int c = 0; c < dims.channels; ++c) {
      const V mean = of_batch(Memory::mean, c), scale = of_batch(Memory::scale, c);
      V total(0), along(0);
      for (int y = 0; y < dims.height; ++y)
        for (int x = 0; x < dims.width; ++x) {
          const V g = tile.load(dy.at(c, y, x));
          total += g;
          along = fma(g, load(c, y, x) - mean, along);
          give_input_gradient<Tile, S>(tile, Position{c, y, x}, product(g, scale));
        }
      partial(c)[0] = static_cast<double>(sum(total));
      partial(c)[1] = static_cast<double>(sum(along));
      if constexpr (op.weight >= 0)
        tile.parameter_gradient(op.weight)[c] += product(sum(along), of_batch(Memory::deviation, c)[0]);
      if constexpr (op.bias >= 0) tile.parameter_gradient(op.bias)[c] += sum(total);
    }
  }
  /// The gradient of x through mean and deviation, after the whole batch.
  void scatter() const {
    const auto real = tile.real_lanes();
    for (int c = 0; c < dims.channels; ++c) {
      const V mean = of_batch(Memory::mean, c), constant = of_batch(Memory::from_mean, c),
              slope = of_batch(Memory::from_scale, c);
      for (int y = 0; y < dims.height; ++y)
        for (int x = 0; x < dims.width; ++x) {
          const V dx = fma(load(c, y, x) - mean, slope, constant);
          give_input_gradient<Tile, S>(tile, Position{c, y, x}, select(real, dx, V(0)));
        }
    }
  }
};

template <>
struct StageKernel<Source::statistics> {
  template <class Tile, int S>
  SINTER_INLINE static void forward(const Tile& tile) {
    BatchNormStage<Tile, S>{tile}.gather();
  }
  template <class Tile, int S>
  SINTER_INLINE static void input_gradient(const Tile& tile) {
    BatchNormStage<Tile, S>{tile}.scatter();
  }
};
template <>
struct StageKernel<Source::normalize> {
  template <class Tile, int S>
  SINTER_INLINE static void forward(const Tile& tile) {
    BatchNormStage<Tile, S>{tile}.forward();
  }
  template <class Tile, int S>
  SINTER_INLINE static void input_gradient(const Tile& tile) {
    BatchNormStage<Tile, S>{tile}.backward();
  }
};

}  // namespace host_kernels

SINTER_NAMESPACE_END
