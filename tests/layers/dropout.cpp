// SPDX-License-Identifier: MIT
#include "sinter/layers/dropout.hpp"

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

static_assert(Layer<Dropout<>> && Layer<Dropout2d<0.25>>);
static_assert(out<Dropout<0.2>>(features(5)) == features(5) && out<Dropout<0.2>>(image(3, 7, 9)) == image(3, 7, 9));
static_assert(out<Dropout2d<0.2>>(image(3, 7, 9)) == image(3, 7, 9));
static_assert(Dropout<>::accepts(features(5)) && Dropout2d<>::accepts(image(3, 1, 1)) &&
              !Dropout2d<>::accepts(features(5)));
static_assert(Layer<Dropout<0.0>> && Layer<Dropout<1.0>>);         // both ends are allowed
static_assert(Layer<Dropout<0>> && Dropout2d<1>::Ops::size == 1);  // and may be whole numbers

constexpr Op elements = Mask<0.25, false>::describe(image(3, 7, 9)),
             channels = Mask<0.5, true>::describe(image(3, 7, 9));
static_assert(elements.kind == OpKind::mask && !elements.per_channel && elements.probability == 0.25);
static_assert(channels.per_channel && channels.zeros == 0.5);

}  // namespace

TEST_CASE("dropout has p = 0.5 by default") {
  struct Net : Sequential<Input<2, 3, 3>, Dropout2d<>, Dropout<>> {};
  CHECK(Program<Net>::ops[0].probability == 0.5);
  CHECK(Program<Net>::ops[1].probability == 0.5);
  CHECK(std::string_view(Program<Net>::layer_names[0]) == "Dropout2d");
}
