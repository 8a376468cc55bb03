// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <set>
#include <sinter/data/augment.hpp>
#include <sinter/data/labelled_data.hpp>

#include "support/check_refused.hpp"

using namespace sinter::internal;

namespace {
constexpr int height = 3, width = 4;
using Pictures = LabelledData<std::uint8_t, Shape<2, height, width>, int>;

/// Pixels 1, 2, .. of each row; channel 1 is 100 more.
Pictures pictures(std::size_t rows) {
  std::vector<std::uint8_t> x;
  for (std::size_t row = 0; row < rows; ++row)
    for (int c = 0; c < 2; ++c)
      for (int i = 0; i < height * width; ++i) x.push_back(static_cast<std::uint8_t>(100 * c + i + 1));
  return {x, std::vector<int>(rows, 3), Normalize::pixels(0.5f, 1)};
}
template <class D>
std::vector<int> picture(const D& data, std::size_t row) {
  std::vector<int> all;
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) {
      all.push_back(data.inputs()(row, 0, y, x));
      const int other = data.inputs()(row, 1, y, x);
      CHECK(other == (all.back() == 0 || all.back() == 9 * 9 ? all.back() : all.back() + 100));
    }
  return all;
}
/// The picture whose pixel (y, x) is pixel (y - down, x - right) of the original.
std::vector<int> shifted(int right, int down, int fill) {
  std::vector<int> all;
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) {
      const int from_y = y - down, from_x = x - right;
      const bool inside = from_y >= 0 && from_y < height && from_x >= 0 && from_x < width;
      all.push_back(inside ? from_y * width + from_x + 1 : fill);
    }
  return all;
}
}  // namespace

TEST_CASE("a flip with certainty, never, and as often as it should") {
  const Pictures data = pictures(1000);
  const std::vector<int> plain{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}, mirrored{4, 3, 2, 1, 8, 7, 6, 5, 12, 11, 10, 9},
      upside_down{9, 10, 11, 12, 5, 6, 7, 8, 1, 2, 3, 4};
  CHECK(picture(augment(data, {}, RandomHorizontalFlip{1}).epoch(0), 0) == mirrored);
  CHECK(picture(augment(data, {}, RandomHorizontalFlip{0}).epoch(0), 0) == plain);
  CHECK(picture(augment(data, {}, RandomVerticalFlip{1}).epoch(0), 7) == upside_down);
  const auto rows = augment(data, {}, RandomHorizontalFlip{0.25}).epoch(3);
  int flipped = 0;
  for (std::size_t i = 0; i < 1000; ++i) flipped += picture(rows, i) == mirrored;
  CHECK((flipped > 200 && flipped < 300));
}

TEST_CASE("shifts and crops: every place, filled from outside, all equally often") {
  const Pictures data = pictures(4500);
  const auto rows = augment(data, {.seed = 4, .fill = 81}, RandomShift{.horizontal = 2, .vertical = 1}).epoch(1);
  std::vector<int> count(15);
  for (std::size_t i = 0; i < 4500; ++i) {
    const auto found = picture(rows, i);
    for (int right = -2; right <= 2; ++right)
      for (int down = -1; down <= 1; ++down)
        if (found == shifted(right, down, 81)) ++count[static_cast<std::size_t>((right + 2) * 3 + down + 1)];
  }
  int total = 0;
  for (const int n : count) {
    CHECK((n > 220 && n < 380));  // 300, deviation 17
    total += n;
  }
  CHECK(total == 4500);
  const auto crops = augment(data, {.seed = 4, .fill = 81}, RandomCrop{.padding = 1}).epoch(1);
  const auto same = augment(data, {.seed = 4, .fill = 81}, RandomShift{1, 1}).epoch(1);
  for (std::size_t i = 0; i < 100; ++i) CHECK(picture(crops, i) == picture(same, i));
  CHECK(picture(augment(data, {}, RandomShift{100, 0}).epoch(0), 1).size() == 12);
}

TEST_CASE("transforms follow one another, and what left the picture is lost") {
  const Pictures data = pictures(50);
  struct Right {
    int by;
    void check() const {}
    void operator()(const Words<std::uint32_t>&, const ImagePlaces& places) const { detail::shift(places.x, by); }
  };
  CHECK(picture(augment(data, {}, Right{1}, RandomHorizontalFlip{1}).epoch(0), 0) ==
        std::vector<int>{3, 2, 1, 0, 7, 6, 5, 0, 11, 10, 9, 0});
  CHECK(picture(augment(data, {}, Right{2}, Right{-2}).epoch(0), 0) ==
        std::vector<int>{1, 2, 0, 0, 5, 6, 0, 0, 9, 10, 0, 0});
}

TEST_CASE("a row is a function of seed, epoch and row; two transforms draw apart") {
  const Pictures data = pictures(64);
  const auto all = [&](const auto& rows) {
    std::vector<int> values;
    for (std::size_t i = 0; i < rows.size(); ++i)
      for (const int v : picture(rows, i)) values.push_back(v);
    return values;
  };
  const auto one = augment(data, {.seed = 1}, RandomShift{2, 1}), two = augment(data, {.seed = 2}, RandomShift{2, 1});
  CHECK(all(one.epoch(5)) == all(one.epoch(5)));
  CHECK(all(one.epoch(5)) != all(one.epoch(6)));
  CHECK(all(one.epoch(5)) != all(two.epoch(5)));
  std::set<std::vector<int>> kinds;
  const auto flips = augment(data, {}, RandomHorizontalFlip{}, RandomVerticalFlip{}).epoch(0);
  for (std::size_t i = 0; i < 64; ++i) kinds.insert(picture(flips, i));
  CHECK(kinds.size() == 4);
}

TEST_CASE("as a dataset it is the rows as they are; targets, scale and weights stay") {
  const Pictures data = pictures(3);
  const std::vector<float> weights{1, 2, 3};
  const auto inputs = data.inputs();
  const auto targets = data.targets();
  const auto weighed = dataset(inputs, targets, weights, data.normalize());
  const auto changed = augment(weighed, {}, RandomHorizontalFlip{1});
  static_assert(ChangesByEpoch<decltype(changed)>);
  static_assert(!ChangesByEpoch<Pictures>);
  CHECK(picture(changed, 0)[0] == 1);
  const auto rows = changed.epoch(0);
  static_assert(HasWeights<decltype(rows)>);
  CHECK(rows.weights()[2] == 3);
  CHECK(rows.targets()[0] == 3);
  CHECK(normalize_of(rows) == Normalize::pixels(0.5f, 1));
}

TEST_CASE("a series is shifted along its places") {
  const Tensor<float, Shape<1, 5>> x{{1, 2, 3, 4, 5}};
  const std::vector<int> labels{0};
  const auto data = dataset(x, labels);
  std::set<float> firsts;
  for (std::uint32_t epoch = 0; epoch < 60; ++epoch)
    firsts.insert(augment(data, {.fill = -1}, RandomCrop{.padding = 2}).epoch(epoch).inputs()(0, 0, 2));
  CHECK(firsts == std::set<float>{1, 2, 3, 4, 5});
}

TEST_CASE("the largest shift, in both directions, leaves nothing of the picture") {
  for (const std::uint32_t word : {0u, ~0u}) {
    int x[4] = {0, 1, 2, 3}, y[1] = {0};
    RandomShift{.horizontal = std::numeric_limits<int>::max()}(Words<std::uint32_t>{{word}}, {x, y});
    for (const int place : x) CHECK(place == -1);
    CHECK(y[0] == 0);
  }
}

TEST_CASE("impossible options are refused") {
  const Pictures data = pictures(1);
  check_refused([&] { augment(data, {}, RandomHorizontalFlip{1.5}); }, {"RandomHorizontalFlip was given p = 1.5"});
  check_refused([&] { augment(data, {}, RandomVerticalFlip{-0.1}); }, {"RandomVerticalFlip was given p = -0.1"});
  check_refused([&] { augment(data, {}, RandomShift{.vertical = -1}); }, {"RandomShift was given vertical = -1"});
  check_refused([&] { augment(data, {}, RandomCrop{-4}); }, {"RandomCrop was given padding = -4"});
  check_refused([&] { augment(data, {.fill = 256}); }, {"fill = 256", "0 to 255"});
  check_refused([&] { augment(data, {.fill = 0.5}); }, {"fill = 0.5 for pictures of bytes; give it a whole number, 0"});
  const Tensor<std::int16_t, Shape<1, 2, 2>> sound{1, 2, 3, 4};
  const std::vector<int> one{0};
  const auto samples = dataset(sound, one, Normalize{});
  CHECK_NOTHROW(augment(samples, {.fill = -32768}));
  check_refused([&] { augment(samples, {.fill = 32768}); }, {"fill = 32768", "of 16 bits", "-32768 to 32767"});
  const Tensor<float, Shape<1, 2, 2>> real{1, 2, 3, 4};
  const auto numbers = dataset(real, one);
  CHECK_NOTHROW(augment(numbers, {.fill = -3e38}));
  check_refused([&] { augment(numbers, {.fill = NAN}); }, {"fill = nan", "pictures of floating numbers"});
  check_refused([&] { augment(numbers, {.fill = -1e39}); }, {"fill = -1e+39", "give it -3.4028234663852886e+38 to"});
}
