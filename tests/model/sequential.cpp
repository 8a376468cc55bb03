// SPDX-License-Identifier: MIT
#include "sinter/model/sequential.hpp"

#include <doctest/doctest.h>

#include "sinter/layers/activation.hpp"
#include "sinter/layers/conv2d.hpp"
#include "sinter/layers/flatten.hpp"
#include "sinter/layers/linear.hpp"
#include "sinter/layers/pool2d.hpp"

using namespace sinter::internal;

namespace {

struct Net : Sequential<Input<3, 10, 12>, Conv2d<4, 3>, MaxPool2d<2>, ReLU, Flatten, Linear<7>> {};
static_assert(Net::valid);
static_assert(Net::input_dims == image(3, 10, 12) && Net::output_dims == features(7));
static_assert(std::is_same_v<Net::InputRow, Shape<3, 10, 12>> && std::is_same_v<Net::OutputRow, Shape<7>>);
static_assert(Net::LayerTypes::size == 5);
static_assert(std::is_same_v<Net::LayerTypes::At<4>, Linear<7>>);
static_assert(Net::walk.accepted == 5 && Net::walk.reached == features(7));

// A stack may end in an image, and may be empty.
struct Images : Sequential<Input<3, 10, 12>, Conv2d<4, 3>> {};
static_assert(std::is_same_v<Images::OutputRow, Shape<4, 8, 10>>);
struct Empty : Sequential<Input<2>> {};
static_assert(Empty::valid && std::is_same_v<Empty::InputRow, Empty::OutputRow>);

// Up to where a stack goes when it does not fit; Sequential itself refuses it (tests/compile_fail).
static_assert(detail::walk<Conv2d<4, 3>, Linear<7>, ReLU>(image(3, 10, 12)).accepted == 1);
static_assert(detail::walk<Conv2d<4, 3>, Linear<7>, ReLU>(image(3, 10, 12)).reached == image(4, 8, 10));
static_assert(detail::walk<ReLU, int, ReLU>(features(3)).accepted == 1);

static_assert(layer_accepts<0, Linear<7>, features(3), Linear<7>::Needs>);
static_assert(!layer_accepts<0, Linear<7>, image(3, 1, 1), Linear<7>::Needs>);
static_assert(is_a_layer<0, ReLU> && !is_a_layer<0, fn::Relu> && !is_a_layer<0, int>);

}  // namespace

TEST_CASE("shapes from layer to layer are constants of the program") { CHECK(Net::valid); }
