// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

#include "sinter/core/shape.hpp"

SINTER_NAMESPACE_BEGIN

namespace host_kernels {

/// The position of something in the memory of a tile, in packs after a base. Base 0 is the beginning of the memory; the
/// others are given to the kernel: see StageTile.
struct Spot {
  int base = 0, offset = 0;
  SINTER_INLINE friend constexpr Spot operator+(Spot spot, int packs) { return {spot.base, spot.offset + packs}; }
};

/// A place in the memory of a tile, in packs. An image may have a border of zeros, so that the padding of the
/// convolution that reads it costs nothing: what is to the right of a row is also to the left of the next one, and what
/// is below a channel is above the next one.
struct Place {
  int offset = -1;
  Dims dims{};
  int border_height = 0, border_width = 0;
  int base = 0;  // see Spot

  constexpr bool bordered() const { return border_height != 0 || border_width != 0; }
  constexpr int stride_y() const { return dims.width + border_width; }
  constexpr int stride_channel() const { return (dims.height + border_height) * stride_y(); }
  constexpr int size() const { return first() + dims.channels * stride_channel(); }
  constexpr Spot begin() const { return {base, offset}; }
  constexpr Spot at(int channel, int y, int x) const {
    return begin() + (first() + channel * stride_channel() + y * stride_y() + x);
  }
  /// Where the first pixel is.
  constexpr int first() const { return border_height * stride_y() + border_width; }
  /// Calls clear(spot, packs) for each part of the border.
  template <class Clear>
  SINTER_INLINE constexpr void each_of_border(Clear&& clear) const {
    clear(begin(), first());
    for (int channel = 0; channel < dims.channels; ++channel) {
      for (int y = 0; y < dims.height; ++y) clear(at(channel, y, dims.width), border_width);
      clear(at(channel, dims.height, 0), border_height * stride_y());
    }
  }
  /// Whether both have the same shape.
  constexpr bool is_like(const Place& other) const {
    return dims == other.dims && border_height == other.border_height && border_width == other.border_width;
  }
};

/// What a kernel refers to in the plan: an op or another number as a constant; everything else is a place.
enum class Role : unsigned char {
  number,
  op,
  value,
  gradient,
  read_gradient,
  saved,
  mask,
  argmax,
  parameter,
  parameter_gradient,
  packed,  // see PackedParameters
  of_batch,
  partial
};
struct Reference {
  Role role = Role::number;
  int id = 0;
  constexpr bool is_place() const { return role != Role::number && role != Role::op; }
  friend constexpr bool operator==(const Reference&, const Reference&) = default;
};

/// Numbers from the packs of one tile to those of the next. Not a multiple of a page: the same places of several tiles
/// are read together, and would share a set of the cache. A single lane is for machines without one.
constexpr std::ptrdiff_t tile_stride(int packs, int lanes) {
  return lanes == 1 ? packs : round_up(packs * lanes, 1024) + 80;
}

}  // namespace host_kernels

SINTER_NAMESPACE_END
