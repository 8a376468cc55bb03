// SPDX-License-Identifier: MIT
#include "sinter/layers/conv_transpose2d.hpp"

#include <doctest/doctest.h>

#include <string>

#include "sinter/model/program.hpp"
#include "sinter/network/describe.hpp"
#include "sinter/network/summary.hpp"

using namespace sinter::internal;

namespace {

static_assert(Layer<ConvTranspose2d<4, 3>>);
static_assert(detail::output_of<ConvTranspose2d<4, 2, Stride<2>>>(image(3, 5, 4)) == image(4, 10, 8));
static_assert(detail::output_of<ConvTranspose2d<4, 3, Stride<2>, Padding<1>, OutputPadding<1>>>(image(3, 5, 4)) ==
              image(4, 10, 8));
static_assert(detail::output_of<ConvTranspose2d<4, Kernel<3, 1>, Dilation<2>>>(image(3, 5, 4)) == image(4, 9, 4));
static_assert(!ConvTranspose2d<4, 1, Padding<1>>::accepts(image(3, 2, 2)));  // nothing would be left
static_assert(!ConvTranspose2d<4, 1, Groups<2>>::accepts(image(3, 2, 2)) &&
              !ConvTranspose2d<4, 1>::accepts(features(3)));

struct Net : Sequential<Input<6, 5, 4>, ConvTranspose2d<4, Kernel<2, 3>, Stride<2>, Groups<2>>> {};

}  // namespace

TEST_CASE("weights of ConvTranspose2d have PyTorch's shape and its count of inputs") {
  const Parameter& weight = Program<Net>::parameters[0];
  CHECK(weight.name == "0.weight");
  CHECK(weight.shape == std::array{6, 2, 2, 3});
  CHECK(weight.fan_in == 12);
  CHECK(weight.fan_out == 36);
  CHECK(summary_of<Net>.multiply_adds == 6 * 5 * 4 * 2 * 6);
}

TEST_CASE("a summary and a plan name it") {
  const std::string text(summary<Net>()), plan = describe(Network<Net>{}, 8);
  CAPTURE(text);
  CAPTURE(plan);
  CHECK(text.find("ConvTranspose2d 4, 2x3, stride 2, groups 2") != std::string::npos);
  CHECK(plan.find("transposed convolution 6->4 2x3, stride 2, groups 2, bias") != std::string::npos);
}
