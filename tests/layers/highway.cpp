// SPDX-License-Identifier: MIT
#include "sinter/layers/highway.hpp"

#include <doctest/doctest.h>

#include "sinter/layers/activation.hpp"
#include "sinter/layers/linear.hpp"
#include "sinter/layers/slice.hpp"
#include "sinter/model/program.hpp"

using namespace sinter::internal;

namespace {

struct Net : Sequential<Input<4>, Highway<Path<Linear<4>, ReLU>, Path<Linear<4>>>> {};

static_assert(Layer<Net::LayerTypes::At<0>> && Program<Net>::output == features(4));
static_assert(!Highway<Path<Linear<3>>, Path<Linear<4>>>::accepts(features(4)));
static_assert(!Highway<Path<Linear<4>>, Path<Linear<3>>>::accepts(features(4)));

static_assert(Layer<Slice<1, 2>>);
static_assert(detail::output_of<Slice<1, 2>>(features(3)) == features(2));
static_assert(detail::output_of<Slice<1, 2>>(image(3, 4, 5)) == image(2, 4, 5));
static_assert(Slice<1, 2>::accepts(features(3)) && !Slice<1, 2>::accepts(features(2)));

}  // namespace

TEST_CASE("parameters of a highway are named by their branch") {
  REQUIRE(Program<Net>::parameter_count == 4);
  CHECK(Program<Net>::parameters[0].name == "0.transform.0.weight");
  CHECK(Program<Net>::parameters[3].name == "0.gate.0.bias");
}
