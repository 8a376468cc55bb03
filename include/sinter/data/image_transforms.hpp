// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "sinter/core/error.hpp"
#include "sinter/core/number_text.hpp"
#include "sinter/core/random.hpp"

SINTER_NAMESPACE_BEGIN

/// The sources of a line of pixels.
class PixelPlaces {
 public:
  template <int Size>
  SINTER_FN PixelPlaces(int (&places)[Size]) : PixelPlaces(places, Size) {}
  SINTER_FN PixelPlaces(int* places, int size) : places_(places), size_(size) {}
  SINTER_FN std::size_t size() const { return static_cast<std::size_t>(size_); }
  SINTER_FN int* begin() const { return places_; }
  SINTER_FN int* end() const { return places_ + size_; }
  SINTER_FN int& operator[](std::size_t i) const { return places_[i]; }

 private:
  int* places_;
  int size_;
};
/// The sources of a changed picture's pixels: pixel (row i, column j) is pixel (row y[i], column x[j]) of the original.
/// -1 is outside, and gets AugmentOptions::fill. For a series, x is its places and y has one entry.
struct ImagePlaces {
  PixelPlaces x, y;
};

namespace detail {
/// The places 0, 1, ..
SINTER_FN void number(PixelPlaces places) {
  for (int i = 0; i < static_cast<int>(places.size()); ++i) places.begin()[i] = i;
}
SINTER_FN void reverse(PixelPlaces places) {
  for (int *first = places.begin(), *last = places.end(); first < --last; ++first) {
    const int place = *first;
    *first = *last;
    *last = place;
  }
}
SINTER_FN void shift(PixelPlaces places, int by) {
  const int size = static_cast<int>(places.size());
  int* const at = places.begin();
  if (by > 0)
    for (int i = size; i-- > 0;) at[i] = i >= by ? at[i - by] : -1;
  else
    for (int i = 0; i < size; ++i) at[i] = i < size + by ? at[i - by] : -1;
}
/// The 128 bits of a transform, which depend on its index, the row, the epoch and the seed only.
SINTER_FN Words<std::uint32_t> random_of_row(std::uint32_t row, std::uint32_t epoch, int transform,
                                             std::uint64_t seed) {
  constexpr std::uint32_t stream = 0xa09;
  return philox(Words<std::uint32_t>{{row, epoch, static_cast<std::uint32_t>(transform), stream}}, seed);
}
/// Uniform in [-most, most].
SINTER_FN int random_shift(std::uint32_t word, int most) {
  const std::uint64_t place = std::uint64_t{word} * (2 * static_cast<std::uint64_t>(most) + 1) >> 32;
  return static_cast<int>(static_cast<std::int64_t>(place) - most);
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
// index only. For pictures in the memory of a GPU, operator() is a function of host and device.

/// Mirrors the picture left to right with probability p, from 0 to 1.
struct RandomHorizontalFlip {
  double p = 0.5;

  void check() const { detail::check_chance(p, "RandomHorizontalFlip"); }
  SINTER_FN void operator()(const Words<std::uint32_t>& random, const ImagePlaces& places) const {
    if (uniform<double>(random.word[0]) < p) detail::reverse(places.x);
  }
};

/// Mirrors the picture top to bottom with probability p, from 0 to 1. Does nothing to a series.
struct RandomVerticalFlip {
  double p = 0.5;

  void check() const { detail::check_chance(p, "RandomVerticalFlip"); }
  SINTER_FN void operator()(const Words<std::uint32_t>& random, const ImagePlaces& places) const {
    if (uniform<double>(random.word[0]) < p) detail::reverse(places.y);
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
  SINTER_FN void operator()(const Words<std::uint32_t>& random, const ImagePlaces& places) const {
    detail::shift(places.x, detail::random_shift(random.word[0], horizontal));
    if (places.y.size() > 1) detail::shift(places.y, detail::random_shift(random.word[1], vertical));
  }
};

/// Pads the picture by `padding` pixels, 0 or more, on each side and crops it to its own size at a random place, as
/// torchvision's RandomCrop(size, padding) does. A series is padded at both ends.
struct RandomCrop {
  int padding = 4;

  void check() const { detail::check_pixels(padding, "RandomCrop", "padding"); }
  SINTER_FN void operator()(const Words<std::uint32_t>& random, const ImagePlaces& places) const {
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
