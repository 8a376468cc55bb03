// SPDX-License-Identifier: MIT
// What suits; what is refused is in tests/compile_fail.
#include "sinter/train/check_loss.hpp"

#include <doctest/doctest.h>

#include "sinter/layers/flatten.hpp"
#include "sinter/layers/linear.hpp"
#include "sinter/layers/shared.hpp"
#include "sinter/loss/huber.hpp"
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
static_assert(check_loss<Net<Activation<OfUser>, Flatten>, NLLLoss>());
static_assert(check_loss<Net<Shared<ReLU, Shared<LogSoftmax>>, Flatten>, NLLLoss>());
static_assert(check_loss<Net<Flatten>, CrossEntropyLoss>());
static_assert(check_loss<Net<>, WeightedCrossEntropyLoss<4>>());
static_assert(check_loss<Net<>, BCEWithLogitsLoss>());
static_assert(check_loss<Net<Sigmoid>, HuberLoss>());
static_assert(check_loss<Sequential<Input<4>>, CrossEntropyLoss>());
static_assert(check_loss<Sequential<Input<1, 2, 2>, Flatten>, CrossEntropyLoss>());

static_assert(std::is_same_v<detail::LastLayer<Net<Softmax, Flatten>::LayerTypes>::Type, Softmax>);
static_assert(std::is_same_v<detail::LastLayer<Net<Shared<Softmax, Flatten>>::LayerTypes>::Type, Softmax>);
static_assert(std::is_void_v<detail::LastLayer<Sequential<Input<1, 2, 2>, Flatten>::LayerTypes>::Type>);

}  // namespace

TEST_CASE("the last layer is the last that does something") {
  CHECK(std::is_same_v<detail::LastLayer<Net<Flatten>::LayerTypes>::Type, Linear<4>>);
}
