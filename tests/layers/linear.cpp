// SPDX-License-Identifier: MIT
#include "sinter/layers/linear.hpp"

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

static_assert(Layer<Linear<10>>);
static_assert(out<Linear<10>>(features(3)) == features(10));
static_assert(Linear<10>::accepts(features(1)) && !Linear<10>::accepts(image(3, 1, 1)));

constexpr Op op = MatMul<10, true>::describe(features(3));
static_assert(op.kind == OpKind::product && op.whole && op.with_bias);
static_assert(op.fan_in() == 3 && op.fan_out() == 10 && op.multiply_adds() == 30);

}  // namespace

TEST_CASE("Linear has a bias by default") {
  struct With : Sequential<Input<3>, Linear<2>> {};
  struct Without : Sequential<Input<3>, Linear<2, NoBias>> {};
  CHECK(Program<With>::parameter_count == 2);
  CHECK(Program<With>::trained == 8);
  CHECK(Program<Without>::parameter_count == 1);
  CHECK(std::string_view(Linear<2>::name) == "Linear");
}
