// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

#include "sinter/core/macros.hpp"

SINTER_NAMESPACE_BEGIN

/// The sizes of one sample, as a value: {features}, {channels, length} or {channels, height, width}. A structural type,
/// so that it can be a template argument, and reads well in the compiler's messages.
struct Dims {
  int rank = 0;
  int channels = 1, height = 1, width = 1;

  constexpr int size() const { return channels * height * width; }
  constexpr int pixels() const { return height * width; }
  friend constexpr bool operator==(const Dims&, const Dims&) = default;
};
/// A row of n features.
constexpr Dims features(int n) { return {1, n, 1, 1}; }
/// A series is an image of one row.
constexpr Dims series(int channels, int length) { return {2, channels, 1, length}; }
/// An image of some channels.
constexpr Dims image(int channels, int height, int width) { return {3, channels, height, width}; }

/// The shape of one sample in the type of a tensor: Shape<10>, Shape<2, 100> or Shape<1, 28, 28>. The batch is a
/// run-time number.
template <int... Sizes>
struct Shape {
  static constexpr int rank = sizeof...(Sizes);
  static constexpr bool countable = (1.0 * ... * Sizes) <= 2147483647.0;
  static constexpr int size = [] {
    if constexpr (countable)
      return (1 * ... * Sizes);
    else
      return 1;
  }();
  static constexpr Dims dims = [] {
    constexpr int s[] = {Sizes..., 1, 1};
    if constexpr (!countable)
      return features(1);
    else if constexpr (rank == 1)
      return features(s[0]);
    else if constexpr (rank == 2)
      return series(s[0], s[1]);
    else
      return image(s[0], s[1], s[2]);
  }();

 private:  // checked last: clang reads no further in a class that it refuses
  static constexpr bool known_rank = rank >= 1 && rank <= 3, positive = ((Sizes > 0) && ...);
  static_assert(known_rank, "sinter: a shape is <features>, <channels, length> or <channels, height, width>");
  static_assert(countable, "sinter: a row of a shape has at most 2,147,483,647 numbers: make its sizes smaller");
  static_assert(positive, "sinter: every size of a shape must be positive");
};

/// The shape with these sizes as a value, of rank 0 if there is none.
template <int... Sizes>
constexpr Dims dims_of() {
  if constexpr (sizeof...(Sizes) >= 1 && sizeof...(Sizes) <= 3 && (... && (Sizes > 0)) &&
                (1.0 * ... * Sizes) <= 2147483647.0)
    return Shape<Sizes...>::dims;
  else
    return {};
}

namespace detail {
template <Dims D>
struct ShapeOf {
  using Type = Shape<D.channels, D.height, D.width>;
};
template <Dims D>
  requires(D.rank == 1)
struct ShapeOf<D> {
  using Type = Shape<D.channels>;
};
template <Dims D>
  requires(D.rank == 2)
struct ShapeOf<D> {
  using Type = Shape<D.channels, D.width>;
};
}  // namespace detail
/// The type that says the same as a value: shape_of<image(1, 28, 28)> is Shape<1, 28, 28>.
template <Dims D>
using shape_of = typename detail::ShapeOf<D>::Type;

/// The next multiple, n itself if it is one.
constexpr int round_up(int n, int multiple) { return (n + multiple - 1) / multiple * multiple; }
/// n / by, rounded up.
SINTER_HOST_DEVICE constexpr int divide_up(int n, int by) { return (n + by - 1) / by; }

SINTER_NAMESPACE_END

namespace sinter {
using internal::Dims;
using internal::Shape;
}  // namespace sinter
