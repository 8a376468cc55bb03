// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <tuple>
#include <utility>

#include "sinter/core/error.hpp"
#include "sinter/core/finite.hpp"
#include "sinter/core/number_text.hpp"
#include "sinter/data/fits_in.hpp"
#include "sinter/data/image_transforms.hpp"
#include "sinter/data/normalize.hpp"

SINTER_NAMESPACE_BEGIN

/// Options of augment().
struct AugmentOptions {
  std::uint64_t seed = 1;
  double fill = 0;  ///< value of pixels from outside the picture, before Normalize: for bytes a whole one, 0 to 255
};

namespace detail {

/// Checks options for pictures of such numbers.
template <class Number, class... Transforms>
void check_augmentation(const AugmentOptions& options, const Transforms&... transforms) {
  (transforms.check(), ...);
  using Limits = std::numeric_limits<Number>;
  if (!is_finite(options.fill) || !fits_in<Number>(options.fill))
    fail("augment was given fill = " + exact_text(options.fill) + " for pictures of " +
         (!needs_scale<Number>  ? "floating numbers"
          : sizeof(Number) == 1 ? "bytes"
                                : "integers of 16 bits") +
         "; give it " + (needs_scale<Number> ? "a whole number, " : "") + exact_text(double{Limits::lowest()}) +
         " to " + exact_text(double{Limits::max()}));
}

[[noreturn]] SINTER_COLD inline void fail_place(std::size_t row, int place, int size, const char* what) {
  fail("a transform moved pixels of row " + std::to_string(row) + " to " + what + " from number " +
       std::to_string(place) + " of " + std::to_string(size) + "; give numbers below that, or -1 for the fill");
}

/// What transforms make of a picture in an epoch: a function of the picture, its row, the epoch and the seed.
template <class Number, class Row, class... Transforms>
class ImageChanges {
 public:
  explicit ImageChanges(const AugmentOptions& options, const Transforms&... transforms)
      : options_(options), transforms_(transforms...) {
    check_augmentation<Number>(options, transforms...);
  }

  /// Makes row `row` of a dataset from number `i` of `from`.
  template <class Inputs>
  void operator()(const Inputs& from, std::size_t i, std::size_t row, std::uint32_t epoch, Number* to) const {
    int x[Row::dims.width], y[Row::dims.height];
    number(x);
    number(y);
    apply(static_cast<std::uint32_t>(row), epoch, {x, y}, std::index_sequence_for<Transforms...>());
    for (const int at : x)
      if (at >= Row::dims.width) detail::fail_place(row, at, Row::dims.width, "columns");
    for (const int at : y)
      if (at >= Row::dims.height) detail::fail_place(row, at, Row::dims.height, "lines");
    copy(from, i, x, y, to);
  }

 private:
  template <std::size_t... Index>
  void apply(std::uint32_t row, std::uint32_t epoch, const ImagePlaces& places, std::index_sequence<Index...>) const {
    (std::get<Index>(transforms_)(random_of_row(row, epoch, static_cast<int>(Index), options_.seed), places), ...);
  }
  template <class Inputs>
  void copy(const Inputs& from, std::size_t row, const int* x, const int* y, Number* to) const {
    const Number fill = static_cast<Number>(options_.fill);
    for (int c = 0; c < Row::dims.channels; ++c)
      for (int i = 0; i < Row::dims.height; ++i) {
        const Number* line = from.row(row) + c * from.channel_stride + (y[i] < 0 ? 0 : y[i]) * from.height_stride;
        for (int j = 0; j < Row::dims.width; ++j) *to++ = y[i] < 0 || x[j] < 0 ? fill : line[x[j] * from.width_stride];
      }
  }

  AugmentOptions options_;
  std::tuple<Transforms...> transforms_;
};

}  // namespace detail

SINTER_NAMESPACE_END

namespace sinter {
using internal::AugmentOptions;
}  // namespace sinter
