// SPDX-License-Identifier: MIT
#include "sinter/layers/pool2d.hpp"

#include <doctest/doctest.h>

#include <string_view>

#include "sinter/model/program.hpp"

using namespace sinter::internal;

namespace {

/// The shape after a layer.
template <class L>
constexpr Dims out(Dims in) {
  return detail::output_of<L>(in);
}

static_assert(Layer<MaxPool2d<2>> && Layer<AvgPool2d<2>>);

// The stride is the window unless given.
static_assert(out<MaxPool2d<2>>(image(3, 24, 24)) == image(3, 12, 12));
static_assert(out<MaxPool2d<2>>(image(3, 7, 9)) == image(3, 3, 4));
static_assert(out<AvgPool2d<Kernel<2, 3>>>(image(3, 7, 9)) == image(3, 3, 3));
static_assert(out<AvgPool2d<3, Stride<2>>>(image(3, 7, 9)) == image(3, 3, 4));
static_assert(out<MaxPool2d<3, Stride<2>, Padding<1>>>(image(3, 7, 9)) == image(3, 4, 5));
static_assert(out<MaxPool2d<Kernel<3, 2>, Padding<1, 0>>>(image(3, 7, 9)) == image(3, 3, 4));
static_assert(MaxPool2d<Kernel<2, 3>>::window.tiles() && !MaxPool2d<3, Stride<2>>::window.tiles());
static_assert(!MaxPool2d<3, Padding<1>>::window.tiles());

static_assert(MaxPool2d<3>::accepts(image(1, 3, 3)) && !MaxPool2d<3>::accepts(image(1, 3, 2)));
static_assert(!AvgPool2d<2>::accepts(features(8)));

// Of 4 gradients before a max pool 3 are zeros, before a mean none.
static_assert(Pool<MaxPool2d<2>::window, false>::describe(image(1, 4, 4)).zeros == 0.75);
static_assert(Pool<AvgPool2d<2>::window, true>::describe(image(1, 4, 4)).zeros == 0);
static_assert(Pool<AvgPool2d<2>::window, true>::describe(image(1, 4, 4)).average);

}  // namespace

TEST_CASE("pools have no parameters") {
  struct Net : Sequential<Input<1, 4, 4>, MaxPool2d<2>, AvgPool2d<2>> {};
  CHECK(Program<Net>::parameter_count == 0);
  CHECK(std::string_view(MaxPool2d<2>::name) == "MaxPool2d");
  CHECK(std::string_view(AvgPool2d<2>::name) == "AvgPool2d");
}
