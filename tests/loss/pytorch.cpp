// SPDX-License-Identifier: MIT
// labels: large change optimised sanitized
// Losses against PyTorch (tests/fixtures/README.md), on tensors.
#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "sinter/loss/bce_with_logits.hpp"
#include "sinter/loss/cross_entropy.hpp"
#include "sinter/loss/huber.hpp"
#include "sinter/loss/kl_div.hpp"
#include "sinter/loss/l1.hpp"
#include "sinter/loss/mse.hpp"
#include "sinter/loss/smooth_l1.hpp"
#include "sinter/loss/weighted_cross_entropy.hpp"
#include "sinter/sinter.hpp"
#include "support/close.hpp"
#include "support/safetensors.hpp"

using namespace sinter::internal;
using sinter_test::Safetensors;

namespace {

/// A model whose outputs have these sizes.
template <int... Sizes>
struct Ends : Sequential<Input<Sizes...>, Tanh> {};

template <class T, class Row, class Loss>
void check(const Safetensors& all, const std::string& name, const Loss& loss, double most) {
  const Tensor<T, Row> x(all.values<T>(name + ".x"));
  const auto judge = [&](const auto& targets) {
    if (!all.has(name + ".weights")) return loss(x, targets);
    return loss(x, targets, all.values<T>(name + ".weights"));
  };
  const LossResult<T, Row> got = [&] {
    if constexpr (std::is_same_v<typename Loss::Target, ClassTarget>)
      return judge(all.values<int>(name + ".labels"));
    else
      return judge(Tensor<T, target_row<Loss, Row>>(all.values<T>(name + ".target")));
  }();
  CAPTURE(name);
  CHECK(closeness::relative_error(std::vector{got.value}, all.values<double>(name + ".loss")) < most);
  CHECK(closeness::relative_error(got.gradient.values(), all.values<double>(name + ".dx")) < most);
}

}  // namespace

TEST_CASE("losses give the numbers of PyTorch") {
  const Safetensors all(std::string(SINTER_FIXTURES) + "/losses.safetensors");
  std::size_t tensors = 0;
  const auto loss = [&]<class Row>(const std::string& name, Row, const auto& given) {
    check<double, Row>(all, name, given, 6e-8);  // the fixtures are rounded to float
    check<float, Row>(all, name, given, 1e-6);
    tensors += all.has(name + ".weights") ? 5u : 4u;
  };
  const Shape<3> three;
  const Shape<7> seven;
  loss("l1", three, L1Loss{});
  loss("l1_ties", seven, L1Loss{});
  loss("smooth_l1", three, SmoothL1Loss{});
  loss("smooth_l1_0.25", three, SmoothL1Loss{.beta = 0.25});
  loss("smooth_l1_0", three, SmoothL1Loss{.beta = 0});
  loss("smooth_l1_kink", Shape<4>{}, SmoothL1Loss{});
  loss("huber", three, HuberLoss{});
  loss("huber_0.25", three, HuberLoss{.delta = 0.25});
  loss("huber_kink", Shape<4>{}, HuberLoss{});
  loss("bce_with_logits", three, BCEWithLogitsLoss{});
  loss("bce_with_logits_0_1", Shape<1>{}, BCEWithLogitsLoss{});
  loss("bce_with_logits_3", three, BCEWithLogitsLoss{.pos_weight = 3});
  loss("kl_div", seven, KLDivLoss{});
  loss("kl_div_batchmean", seven, KLDivLoss{.batchmean = true});
  loss("kl_div_log_target", seven, KLDivLoss{.log_target = true});
  const ClassWeights<7> weight{1, 0.5, 2, 0.25, 3, 0, 1.5};
  loss("cross_entropy_smooth", seven, CrossEntropyLoss{.label_smoothing = 0.1});
  loss("cross_entropy_weight", seven, WeightedCrossEntropyLoss<7>{.weight = weight});
  loss("cross_entropy_ignore", seven, WeightedCrossEntropyLoss<7>{});
  loss("cross_entropy_ignore_2", seven, WeightedCrossEntropyLoss<7>{.ignore_index = 2});
  loss("cross_entropy_all", seven, WeightedCrossEntropyLoss<7>{.weight = weight, .label_smoothing = 0.2});
  loss("mse_weights", three, MSELoss{});
  loss("huber_weights", three, HuberLoss{});
  loss("cross_entropy_weights", seven, CrossEntropyLoss{});
  loss("cross_entropy_all_weights", seven, WeightedCrossEntropyLoss<7>{.weight = weight, .label_smoothing = 0.2});

  const Shape<7, 2, 3> image;
  const Shape<7, 4> series;
  const Shape<4, 7> steps;
  const WeightedCrossEntropyLoss<7> all_options{.weight = weight, .label_smoothing = 0.2}, weighted{.weight = weight};
  loss("per_pixel", image, at_each_pixel<Ends<7, 2, 3>>(CrossEntropyLoss{.label_smoothing = 0.1}));
  loss("per_pixel_all", image, at_each_pixel<Ends<7, 2, 3>>(all_options));
  loss("per_pixel_series", series, at_each_pixel<Ends<7, 4>>(WeightedCrossEntropyLoss<7>{}));
  loss("per_step", steps, at_each_step<Ends<4, 7>>(CrossEntropyLoss{}));
  loss("per_step_all", steps, at_each_step<Ends<4, 7>>(weighted));
  CHECK(tensors == all.tensors().size());  // no case was forgotten
}
