// SPDX-License-Identifier: MIT
#include "sinter/layers/adaptive_pool2d.hpp"

#include <doctest/doctest.h>

#include <string>

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

}  // namespace

TEST_CASE("a summary says to which size") {
  struct Net : Sequential<Input<2, 7, 5>, AdaptiveMaxPool2d<3, 2>, AdaptiveAvgPool2d<1>> {};
  const std::string text(summary<Net>());
  CAPTURE(text);
  CHECK(text.find("AdaptiveMaxPool2d to 3x2") != std::string::npos);
  CHECK(text.find("AdaptiveAvgPool2d to 1x1") != std::string::npos);
}
