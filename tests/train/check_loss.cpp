// SPDX-License-Identifier: MIT
// What suits; what is refused is in tests/compile_fail.
#include "sinter/train/check_loss.hpp"

#include <doctest/doctest.h>

#include "sinter/layers/activation.hpp"
#include "sinter/layers/concat.hpp"
#include "sinter/layers/flatten.hpp"
#include "sinter/layers/linear.hpp"
#include "sinter/layers/path.hpp"
#include "sinter/layers/shared.hpp"
#include "sinter/layers/softmax_along.hpp"
#include "sinter/loss/bce_with_logits.hpp"
#include "sinter/loss/cross_entropy.hpp"
#include "sinter/loss/huber.hpp"
#include "sinter/loss/kl_div.hpp"
#include "sinter/loss/nll.hpp"
#include "sinter/loss/weighted_cross_entropy.hpp"
#include "sinter/model/sequential.hpp"

using namespace sinter::internal;

namespace {

struct OfUser {
  static constexpr bool backward_reads_output = false;
  static double forward(double x) { return -x * x; }
  static double backward(double x, double dy) { return -2 * x * dy; }
};
template <class... Layers>
using Net = Sequential<Input<3>, Linear<4>, Layers...>;

static_assert(check_loss<Net<LogSoftmax, Flatten>, NLLLoss>());
static_assert(check_loss<Net<LogSoftmax, Flatten, Flatten>, KLDivLoss>());
static_assert(check_loss<Net<LogSoftmaxAlong<1>>, NLLLoss>());
static_assert(check_loss<Net<LogSoftmaxAlong<-1>, Flatten>, KLDivLoss>());
static_assert(check_loss<Net<Activation<OfUser>, Flatten>, NLLLoss>());
static_assert(check_loss<Net<Shared<ReLU, Shared<LogSoftmax>>, Flatten>, NLLLoss>());
static_assert(check_loss<Net<Flatten>, CrossEntropyLoss>());
static_assert(check_loss<Net<>, WeightedCrossEntropyLoss<4>>());
static_assert(check_loss<Net<>, BCEWithLogitsLoss>());
static_assert(check_loss<Net<Sigmoid>, HuberLoss>());
static_assert(check_loss<Sequential<Input<4>>, CrossEntropyLoss>());
static_assert(check_loss<Sequential<Input<1, 2, 2>, Flatten>, CrossEntropyLoss>());

/// What does not suit, as detail::Mismatches.
template <class Loss, class... Layers>
constexpr detail::Mismatches found = detail::CheckedLoss<Net<Layers...>, Loss>::found;
static_assert(found<CrossEntropyLoss, Softmax>.applied_twice && found<CrossEntropyLoss, LogSoftmax>.applied_twice);
static_assert(found<WeightedCrossEntropyLoss<4>, Softmax>.applied_twice);
static_assert(!found<CrossEntropyLoss, Sigmoid>.any());
static_assert(found<BCEWithLogitsLoss, Sigmoid>.squashed_twice && found<BCEWithLogitsLoss, Softmax>.squashed_twice);
static_assert(found<NLLLoss>.not_logarithms && found<NLLLoss, Softmax>.not_logarithms);
static_assert(found<KLDivLoss>.no_distribution && !found<KLDivLoss>.not_logarithms);
static_assert(!found<HuberLoss, Softmax>.any());

static_assert(output_kind<Net<Softmax, Flatten>>(0, 4) == fn::OutputKind::probabilities);
static_assert(output_kind<Net<Shared<Softmax, Flatten>>>(0, 4) == fn::OutputKind::probabilities);
static_assert(output_kind<Net<Softmax, ReLU>>(0, 4) == fn::OutputKind::numbers);
static_assert(output_kind<Net<Activation<OfUser>>>(0, 4) == fn::OutputKind::unknown);
static_assert(output_kind<Sequential<Input<1, 2, 2>, Flatten>>(0, 4) == fn::OutputKind::numbers);

using Branches = Net<Concat<Path<Linear<3>, LogSoftmax>, Path<Concat<Path<Linear<2>, Sigmoid>, Path<Linear<5>>>>>>;
static_assert(output_kind<Branches>(0, 3) == fn::OutputKind::log_probabilities);
static_assert(output_kind<Branches>(3, 2) == fn::OutputKind::sigmoids);
static_assert(output_kind<Branches>(4, 1) == fn::OutputKind::sigmoids);
static_assert(output_kind<Branches>(5, 5) == fn::OutputKind::numbers);
static_assert(output_kind<Branches>(0, 10) == fn::OutputKind::numbers);

struct LogarithmsOfUser : OfUser {
  static constexpr fn::OutputKind output_kind = fn::OutputKind::log_probabilities;
};
static_assert(check_loss<Net<Activation<LogarithmsOfUser>>, NLLLoss>());

}  // namespace

TEST_CASE("the outputs are what the last op makes that does not only copy") {
  CHECK(output_kind<Net<Flatten>>(0, 4) == fn::OutputKind::numbers);
}
