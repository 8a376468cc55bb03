// SPDX-License-Identifier: MIT
#include "sinter/layers/conv2d.hpp"

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

static_assert(Layer<Conv2d<10, 5>>);

// H' = (H + 2 padding - dilation (kH - 1) - 1) / stride + 1, rounded down.
static_assert(out<Conv2d<10, 5>>(image(1, 28, 28)) == image(10, 24, 24));
static_assert(out<Conv2d<10, Kernel<3, 5>>>(image(3, 7, 9)) == image(10, 5, 5));
static_assert(out<Conv2d<2, 1>>(image(3, 7, 9)) == image(2, 7, 9));
static_assert(out<Conv2d<2, 3, Padding<1>>>(image(3, 7, 9)) == image(2, 7, 9));
static_assert(out<Conv2d<2, 3, Padding<0, 2>>>(image(3, 7, 9)) == image(2, 5, 11));
static_assert(out<Conv2d<2, 3, Stride<2>>>(image(3, 8, 9)) == image(2, 3, 4));
static_assert(out<Conv2d<2, 3, Stride<3, 1>>>(image(3, 8, 9)) == image(2, 2, 7));
static_assert(out<Conv2d<2, 3, Dilation<2>>>(image(3, 7, 9)) == image(2, 3, 5));
static_assert(out<Conv2d<2, 3, Dilation<1, 3>, Stride<2>, Padding<1>>>(image(3, 7, 9)) == image(2, 4, 3));
static_assert(out<Conv2d<4, 3, Groups<2>>>(image(6, 7, 9)) == image(4, 5, 7));

// Options in any order.
static_assert(Conv2d<4, Kernel<3, 2>, NoBias, Groups<2>, Dilation<2>, Padding<1>, Stride<2>>::window ==
              Conv2d<4, Stride<2>, Padding<1>, Dilation<2>, Groups<2>, NoBias, Kernel<3, 2>>::window);
static_assert(Conv2d<4, Padding<1>, 3>::window == Conv2d<4, 3, Padding<1, 1>>::window);
static_assert(Conv2d<4, 3>::window == Conv2d<4, Kernel<3>>::window);

static_assert(Conv2d<4, 5>::accepts(image(1, 5, 5)) && !Conv2d<4, 5>::accepts(image(1, 4, 5)));
static_assert(Conv2d<4, 5, Padding<1>>::accepts(image(1, 3, 3)) && !Conv2d<4, 5, Padding<1>>::accepts(image(1, 3, 2)));
static_assert(!Conv2d<4, 5>::accepts(features(100)));
static_assert(Conv2d<4, 3, Groups<2>>::accepts(image(6, 3, 3)) && !Conv2d<4, 3, Groups<2>>::accepts(image(5, 3, 3)));

constexpr Op op = Convolution<4, Conv2d<4, Kernel<3, 2>, Groups<2>>::window, true>::describe(image(6, 7, 9));
static_assert(op.kind == OpKind::product && !op.whole && op.with_bias && op.in == image(6, 7, 9));
static_assert(op.fan_in() == 3 * 6 && op.fan_out() == 4 * 6 && op.multiply_adds() == 4L * 5 * 8 * 18);

}  // namespace

TEST_CASE("Conv2d has a bias by default") {
  struct With : Sequential<Input<1, 4, 4>, Conv2d<2, 3>> {};
  struct Without : Sequential<Input<1, 4, 4>, Conv2d<2, 3, NoBias>> {};
  CHECK(Program<With>::parameter_count == 2);
  CHECK(Program<Without>::parameter_count == 1);
  CHECK(std::string_view(Conv2d<2, 3>::name) == "Conv2d");
}
