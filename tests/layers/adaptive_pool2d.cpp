// SPDX-License-Identifier: MIT
#include "sinter/layers/adaptive_pool2d.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <utility>

#include "sinter/model/program.hpp"
#include "sinter/network/summary.hpp"

using namespace sinter::internal;

namespace {

static_assert(Layer<AdaptiveAvgPool2d<1>>);
static_assert(detail::output_of<AdaptiveAvgPool2d<1>>(image(3, 5, 4)) == image(3, 1, 1));
static_assert(detail::output_of<AdaptiveAvgPool2d<3, 2>>(image(3, 7, 5)) == image(3, 3, 2));
static_assert(!AdaptiveAvgPool2d<1>::accepts(features(8)));

// Where the sizes divide it is a pool as any other, else its windows differ.
static_assert(AdaptivePool<3, 2>::describe(image(1, 6, 4)).window.tiles());
static_assert(!AdaptivePool<3, 2>::describe(image(1, 6, 4)).uneven());
static_assert(AdaptivePool<3, 2>::describe(image(1, 7, 4)).uneven());
static_assert(AdaptivePool<4, 4>::describe(image(1, 2, 2)).uneven());
static_assert(Layer<AdaptiveMaxPool2d<1>> && !AdaptiveMaxPool2d<1>::accepts(features(8)));
static_assert(detail::output_of<AdaptiveMaxPool2d<3, 2>>(image(3, 7, 5)) == image(3, 3, 2));
// Which number was the largest is kept in two bytes.
static_assert(AdaptiveMaxPool2d<1>::accepts(image(1, 256, 256)) && !AdaptiveMaxPool2d<1>::accepts(image(1, 256, 257)));
static_assert(AdaptiveMaxPool2d<1, 2>::accepts(image(1, 256, 257)) &&
              AdaptiveAvgPool2d<1>::accepts(image(1, 256, 257)));
// Zeros in the gradient: none for certain where windows overlap as much as there are numbers.
static_assert(AdaptivePool<3, 2, false>::describe(image(1, 6, 4)).zeros == 0.75);
static_assert(AdaptivePool<7, 6, false>::describe(image(1, 5, 4)).zeros == 0);

static_assert(region_begin(1, 3, 7) == 2 && region_end(1, 3, 7) == 5);
static_assert(region_begin(39999, 40000, 60000) == 59998 && region_end(39999, 40000, 60000) == 60000);
// The largest region, without looking at all.
static_assert([] {
  for (int n = 1; n < 20; ++n)
    for (int length = 1; length < 20; ++length) {
      int most = 0;
      for (int i = 0; i < n; ++i) most = std::max(most, region_end(i, n, length) - region_begin(i, n, length));
      Op op;
      [&]<int... N>(std::integer_sequence<int, N...>) {
        (void)(... || (n == N + 1 && (op = AdaptivePool<1, N + 1>::describe(series(1, length)), true)));
      }(std::make_integer_sequence<int, 19>{});
      if (op.window.width != most) return false;
    }
  return true;
}());

}  // namespace

TEST_CASE("a summary says to which size") {
  struct Net : Sequential<Input<2, 7, 5>, AdaptiveMaxPool2d<3, 2>, AdaptiveAvgPool2d<1>> {};
  const std::string text(summary<Net>());
  CAPTURE(text);
  CHECK(text.find("AdaptiveMaxPool2d to 3x2") != std::string::npos);
  CHECK(text.find("AdaptiveAvgPool2d to 1x1") != std::string::npos);
}
