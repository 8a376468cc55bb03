// SPDX-License-Identifier: MIT
#include "sinter/layers/flatten.hpp"

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

static_assert(Layer<Flatten>);
static_assert(out<Flatten>(image(3, 7, 9)) == features(189) && out<Flatten>(features(5)) == features(5));
static_assert(Flatten::Ops::size == 0);

}  // namespace

TEST_CASE("Flatten is no op") {
  struct Net : Sequential<Input<2, 3, 3>, Flatten> {};
  CHECK(Program<Net>::op_count == 0);
  CHECK(Program<Net>::layer_outputs[0] == features(18));
  CHECK(std::string_view(Flatten::name) == "Flatten");
}
