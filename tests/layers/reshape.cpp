// SPDX-License-Identifier: MIT
#include "sinter/layers/reshape.hpp"

#include <doctest/doctest.h>

#include <string_view>

#include "sinter/layers/activation.hpp"
#include "sinter/layers/linear.hpp"
#include "sinter/loss/nll.hpp"
#include "sinter/model/output_kind.hpp"
#include "sinter/model/program.hpp"
#include "sinter/train/check_loss.hpp"

using namespace sinter::internal;

namespace {

static_assert(Layer<Reshape<4>> && Layer<Reshape<1, 2, 2>>);
static_assert(detail::output_of<Reshape<12>>(image(2, 2, 3)) == features(12));
static_assert(detail::output_of<Reshape<3, 1, 4>>(image(2, 2, 3)) == image(3, 1, 4));
static_assert(Reshape<2, 3, 4>::accepts(features(24)) && !Reshape<2, 3, 4>::accepts(features(25)));
static_assert(check_loss<Sequential<Input<3>, Linear<4>, LogSoftmax, Reshape<1, 2, 2>>, NLLLoss>());
static_assert(output_kind<Sequential<Input<4>, Softmax, Reshape<1, 2, 2>, Reshape<4>>>(0, 4) ==
              fn::OutputKind::probabilities);

}  // namespace

TEST_CASE("to a row Reshape is no op, to an image a copy") {
  struct Net : Sequential<Input<2, 3, 2>, Reshape<1, 3, 4>, Reshape<12>> {};
  CHECK(Program<Net>::op_count == 1);
  CHECK(Program<Net>::ops[0].in == image(1, 3, 4));
  CHECK(Program<Net>::layer_outputs[1] == features(12));
  CHECK(std::string_view(Reshape<12>::name) == "Reshape");
}
