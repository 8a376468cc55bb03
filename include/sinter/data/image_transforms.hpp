// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>

#include "sinter/core/error.hpp"
#include "sinter/core/number_text.hpp"
#include "sinter/core/random.hpp"

SINTER_NAMESPACE_BEGIN

/// The sources of a changed picture's pixels: pixel (row i, column j) is pixel (row y[i], column x[j]) of the original.
/// -1 is outside, and gets AugmentOptions::fill. For a series, x is its places and y has one entry.
struct ImagePlaces {
  std::span<int> x, y;
};

namespace detail {
inline void shift(std::span<int> places, int by) {
  const int size = static_cast<int>(places.size());
  const auto at = [&](int i) -> int& { return places[static_cast<std::size_t>(i)]; };
  const auto moved = [&](int i) { at(i) = i - by >= 0 && i - by < size ? at(i - by) : -1; };
  if (by > 0)
    for (int i = size; i-- > 0;) moved(i);
  else
    for (int i = 0; i < size; ++i) moved(i);
}
/// Uniform in [-most, most].
inline int random_shift(std::uint32_t word, int most) {
  return static_cast<int>(std::uint64_t{word} * (2 * static_cast<std::uint64_t>(most) + 1) >> 32) - most;
}
SINTER_COLD inline void check_chance(double p, const char* who) {
  if (!(p >= 0 && p <= 1))
    fail(std::string(who) + " was given p = " + exact_text(p) + "; give it a probability, 0 to 1");
}
SINTER_COLD inline void check_pixels(int pixels, const char* who, const char* what) {
  if (pixels < 0)
    fail(std::string(who) + " was given " + what + " = " + std::to_string(pixels) + "; give it 0 or more pixels");
}
}  // namespace detail

// A transform, including one of your own, has two members: check(), which fails on bad options, and operator()(random,
// places), which edits `places`. `random` is 128 bits that depend on the seed, the epoch, the row and the transform's
// index only.

/// Mirrors the picture left to right with probability p, from 0 to 1.
struct RandomHorizontalFlip {
  double p = 0.5;

  void check() const { detail::check_chance(p, "RandomHorizontalFlip"); }
  void operator()(const Words<std::uint32_t>& random, const ImagePlaces& places) const {
    if (uniform<double>(random.word[0]) < p) std::reverse(places.x.begin(), places.x.end());
  }
};

/// Mirrors the picture top to bottom with probability p, from 0 to 1. Does nothing to a series.
struct RandomVerticalFlip {
  double p = 0.5;

  void check() const { detail::check_chance(p, "RandomVerticalFlip"); }
  void operator()(const Words<std::uint32_t>& random, const ImagePlaces& places) const {
    if (uniform<double>(random.word[0]) < p) std::reverse(places.y.begin(), places.y.end());
  }
};

/// Shifts the picture by whole pixels, uniform from -horizontal to horizontal and from -vertical to vertical. Neither
/// may be negative. A series has one row, which stays.
struct RandomShift {
  int horizontal = 0, vertical = 0;

  void check() const {
    detail::check_pixels(horizontal, "RandomShift", "horizontal");
    detail::check_pixels(vertical, "RandomShift", "vertical");
  }
  void operator()(const Words<std::uint32_t>& random, const ImagePlaces& places) const {
    detail::shift(places.x, detail::random_shift(random.word[0], horizontal));
    if (places.y.size() > 1) detail::shift(places.y, detail::random_shift(random.word[1], vertical));
  }
};

/// Pads the picture by `padding` pixels, 0 or more, on each side and crops it to its own size at a random place, as
/// torchvision's RandomCrop(size, padding) does. A series is padded at both ends.
struct RandomCrop {
  int padding = 4;

  void check() const { detail::check_pixels(padding, "RandomCrop", "padding"); }
  void operator()(const Words<std::uint32_t>& random, const ImagePlaces& places) const {
    RandomShift{padding, places.y.size() > 1 ? padding : 0}(random, places);
  }
};

SINTER_NAMESPACE_END

namespace sinter {
using internal::RandomCrop;
using internal::RandomHorizontalFlip;
using internal::RandomShift;
using internal::RandomVerticalFlip;
}  // namespace sinter
