// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>

#include "sinter/core/error.hpp"
#include "sinter/core/random.hpp"

SINTER_NAMESPACE_BEGIN

/// Where the pixels of a picture come from: column x of it shows column `x[x]` of the original and row y its row `y[y]`;
/// -1 is outside, and filled. A series has one row.
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
    fail(std::string(who) + " was given p = " + std::to_string(p) + "; give it a probability, 0 to 1");
}
SINTER_COLD inline void check_pixels(int pixels, const char* who, const char* what) {
  if (pixels < 0)
    fail(std::string(who) + " was given " + what + " = " + std::to_string(pixels) + "; give it 0 or more pixels");
}
}  // namespace detail

/// A transform draws from 128 bits, a function of the row, the epoch, its own place in the list and the seed, and changes
/// the places. One of your own has these two functions.
struct RandomHorizontalFlip {
  double p = 0.5;

  void check() const { detail::check_chance(p, "RandomHorizontalFlip"); }
  void operator()(const Words<std::uint32_t>& random, const ImagePlaces& places) const {
    if (uniform<double>(random.word[0]) < p) std::reverse(places.x.begin(), places.x.end());
  }
};

struct RandomVerticalFlip {
  double p = 0.5;

  void check() const { detail::check_chance(p, "RandomVerticalFlip"); }
  void operator()(const Words<std::uint32_t>& random, const ImagePlaces& places) const {
    if (uniform<double>(random.word[0]) < p) std::reverse(places.y.begin(), places.y.end());
  }
};

/// Moves the picture by a whole number of pixels, uniform from -most to most in each direction.
struct RandomShift {
  int horizontal = 0, vertical = 0;

  void check() const {
    detail::check_pixels(horizontal, "RandomShift", "horizontal");
    detail::check_pixels(vertical, "RandomShift", "vertical");
  }
  void operator()(const Words<std::uint32_t>& random, const ImagePlaces& places) const {
    detail::shift(places.x, detail::random_shift(random.word[0], horizontal));
    detail::shift(places.y, detail::random_shift(random.word[1], vertical));
  }
};

/// Surrounds the picture by `padding` pixels and cuts it out again in its own size, anywhere, as PyTorch's
/// RandomCrop(size, padding) does. Of a series only the places are padded, not its one row.
struct RandomCrop {
  int padding = 4;

  void check() const { detail::check_pixels(padding, "RandomCrop", "padding"); }
  void operator()(const Words<std::uint32_t>& random, const ImagePlaces& places) const {
    RandomShift{padding, places.y.size() > 1 ? padding : 0}(random, places);
  }
};

SINTER_NAMESPACE_END
