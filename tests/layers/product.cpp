// SPDX-License-Identifier: MIT
#include "sinter/layers/product.hpp"

#include <doctest/doctest.h>

#include "sinter/layers/activation.hpp"
#include "sinter/layers/conv2d.hpp"
#include "sinter/layers/linear.hpp"
#include "sinter/model/program.hpp"

using namespace sinter::internal;

namespace {

struct Net : Sequential<Input<4>, Product<Path<Linear<3>>, Path<Linear<3>, Sigmoid>>> {};

static_assert(Layer<Net::LayerTypes::At<0>> && Program<Net>::output == features(3));
static_assert(Product<Path<Conv2d<2, 3>>, Path<Conv2d<2, 3>>>::output(image(1, 6, 5)) == image(2, 4, 3));
static_assert(!Product<Path<Linear<3>>, Path<Linear<4>>>::accepts(features(4)));
static_assert(!Product<Path<Linear<3>>, Path<Linear<3>>>::accepts(image(1, 2, 2)));

}  // namespace

TEST_CASE("parameters of a product are named by their branch") {
  REQUIRE(Program<Net>::parameter_count == 4);
  CHECK(Program<Net>::parameters[0].name == "0.0.0.weight");
  CHECK(Program<Net>::parameters[3].name == "0.1.0.bias");
}
