// SPDX-License-Identifier: MIT
#include "sinter/layers/shared.hpp"

#include <doctest/doctest.h>

#include <string_view>

#include "sinter/layers/activation.hpp"
#include "sinter/layers/batch_norm.hpp"
#include "sinter/layers/concat.hpp"
#include "sinter/layers/conv2d.hpp"
#include "sinter/layers/linear.hpp"
#include "sinter/layers/slice.hpp"
#include "sinter/model/program.hpp"
#include "sinter/network/summary.hpp"

using namespace sinter::internal;

namespace {

struct Tower : Shared<Linear<6>, ReLU, Linear<3>> {};
struct Other : Shared<Linear<6>, ReLU, Linear<3>> {};
struct Siamese : Sequential<Input<8>, Concat<Path<Slice<0, 4>, Tower>, Path<Slice<4, 4>, Tower>>, Linear<1>> {};
struct TwoTowers : Sequential<Input<8>, Concat<Path<Slice<0, 4>, Tower>, Path<Slice<4, 4>, Other>>, Linear<1>> {};
using P = Program<Siamese>;

static_assert(Layer<Tower> && Tower::accepts(features(4)) && !Tower::accepts(image(1, 2, 2)));
static_assert(P::output == features(1) && P::op_count == 10 && P::parameter_count == 6);
static_assert(P::trained == 6 * 4 + 6 + 3 * 6 + 3 + 6 + 1 && summary_of<Siamese>.parameters == P::trained);
static_assert(P::ops[1].weight == 0 && P::ops[3].bias == 3 && P::ops[5].weight == 0 && P::ops[7].bias == 3);
static_assert(P::ops[9].weight == 4);
static_assert(Program<TwoTowers>::parameter_count == 10);  // a type is a set

// Images of other sizes have the same weights, and buffers are shared, too.
struct Look : Shared<Conv2d<2, 3, Padding<1>>, BatchNorm2d<>> {};
struct Twice : Sequential<Input<2, 6, 6>, Look, Conv2d<2, 2>, Look> {};
static_assert(Program<Twice>::parameter_count == 6 && Program<Twice>::buffer_count == 2);
static_assert(Program<Twice>::ops[5].mean == 0 && Program<Twice>::ops[5].variance == 1);
static_assert(Program<Twice>::ops[4].weight == 0 && Program<Twice>::ops[6].bias == Program<Twice>::ops[2].bias);

// A set inside of another one, which occurs elsewhere as well: before, between and after.
struct Inner : Shared<Linear<4, NoBias>> {};
struct Outer : Shared<Linear<4, NoBias>, Inner, Linear<4, NoBias>, Inner> {};
struct InnerFirst : Sequential<Input<4>, Inner, Outer, Outer> {};
struct OuterFirst : Sequential<Input<4>, Outer, Inner, Outer> {};
template <class Model>
constexpr bool reads(auto... weights) {
  int op = 0;
  return (... && (Program<Model>::ops[static_cast<std::size_t>(op++)].weight == weights));
}
static_assert(reads<InnerFirst>(0, 1, 0, 2, 0, 1, 0, 2, 0) && Program<InnerFirst>::parameter_count == 3);
static_assert(reads<OuterFirst>(0, 1, 2, 1, 1, 0, 1, 2, 1) && Program<OuterFirst>::parameter_count == 3);

// The same of buffers, of which there are other numbers than of parameters.
struct InnerNorm : Shared<Linear<4, NoBias>, BatchNorm1d<>> {};
struct OuterNorm : Shared<InnerNorm, BatchNorm1d<>> {};
struct Norms : Sequential<Input<4>, OuterNorm, OuterNorm> {};
static_assert(Program<Norms>::parameter_count == 5 && Program<Norms>::buffer_count == 4);
static_assert(Program<Norms>::ops[6].mean == 0 && Program<Norms>::ops[6].variance == 1);
static_assert(Program<Norms>::ops[8].mean == 2 && Program<Norms>::ops[8].variance == 3);

}  // namespace

TEST_CASE("the first place names the parameters") {
  const char* const names[] = {"0.0.1.0.weight", "0.0.1.0.bias", "0.0.1.2.weight",
                               "0.0.1.2.bias",   "1.weight",     "1.bias"};
  for (std::size_t i = 0; i < 6; ++i) CHECK(P::parameters[i].name == names[i]);
}

TEST_CASE("a summary counts parameters once and products in every place") {
  CHECK(summary_of<Siamese>.multiply_adds == 2 * (6 * 4 + 3 * 6) + 6);
  CHECK(summary<Twice>().find("Shared") != std::string_view::npos);
}
