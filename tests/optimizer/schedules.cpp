// SPDX-License-Identifier: MIT
// labels: optimised
// Schedules against PyTorch (tests/fixtures/README.md), alone and on optimizers.
#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <limits>
#include <string>
#include <vector>

#include "sinter/optimizer/adam.hpp"
#include "sinter/optimizer/clip_grad.hpp"
#include "sinter/optimizer/cosine_annealing_lr.hpp"
#include "sinter/optimizer/linear_lr.hpp"
#include "sinter/optimizer/lion.hpp"
#include "sinter/optimizer/one_cycle_lr.hpp"
#include "sinter/optimizer/scheduled.hpp"
#include "sinter/optimizer/sgd.hpp"
#include "sinter/optimizer/step_lr.hpp"
#include "sinter/train/reduce_lr_on_plateau.hpp"
#include "support/check_refused.hpp"
#include "support/close.hpp"
#include "support/safetensors.hpp"

using namespace sinter::internal;
using sinter_test::Safetensors;

namespace {

template <class Schedule>
void check(const Safetensors& all, const std::string& name, const Schedule& schedule) {
  const auto want = all.values<double>(name);
  REQUIRE(want.size() == 40);
  CAPTURE(name);
  schedule.check();
  for (long t = 0; t < 40; ++t) {
    CAPTURE(t);
    // The fixtures are rounded to float.
    CHECK(schedule(0.1, t) == doctest::Approx(want[static_cast<std::size_t>(t)]).epsilon(1e-7));
  }
}

}  // namespace

TEST_CASE("schedules give the rates of PyTorch") {
  const Safetensors all(std::string(SINTER_FIXTURES) + "/schedules.safetensors");
  check(all, "step", StepLR{.step_size = 7});
  check(all, "step_0.5", StepLR{.step_size = 1, .gamma = 0.5});
  check(all, "multi_step", MultiStepLR<3>{.milestones = {5, 6, 30}, .gamma = 0.2});
  check(all, "exponential", ExponentialLR{.gamma = 0.9});
  check(all, "cosine", CosineAnnealingLR{.T_max = 40});
  check(all, "cosine_min", CosineAnnealingLR{.T_max = 25, .eta_min = 0.01});
  check(all, "linear", LinearLR{});
  check(all, "linear_all", LinearLR{.start_factor = 0.01, .end_factor = 0.5, .total_iters = 17});
  check(all, "one_cycle", OneCycleLR{.total_steps = 41});
  check(all, "one_cycle_all",
        OneCycleLR{.total_steps = 41, .pct_start = 0.4, .div_factor = 10, .final_div_factor = 100, .linear = true});
  check(all, "one_cycle_three", OneCycleLR{.total_steps = 41, .three_phase = true});
  check(all, "warm_up_cosine", WarmUp{5, CosineAnnealingLR{.T_max = 35}, 0.1});
  CHECK(all.tensors().size() == 12 + 3);  // and the plateau's
}

TEST_CASE("ReduceLROnPlateau gives the rates of PyTorch") {
  const Safetensors all(std::string(SINTER_FIXTURES) + "/schedules.safetensors");
  const auto losses = all.values<double>("metrics");
  const auto check_plateau = [&](const std::string& name, ReduceLROnPlateau plateau) {
    const auto want = all.values<double>(name);
    double lr = 0.1;
    CAPTURE(name);
    for (std::size_t t = 0; t < 40; ++t) {
      CAPTURE(t);
      CHECK(lr == doctest::Approx(want[t]).epsilon(1e-7));
      lr = plateau(lr, losses[t]);
    }
    CHECK(want.back() < 0.1);  // it was reduced at all
  };
  check_plateau("plateau", {.patience = 2});
  check_plateau("plateau_all",
                {.factor = 0.5, .patience = 1, .threshold = 0.02, .absolute = true, .cooldown = 3, .min_lr = 0.01});
}

TEST_CASE("the cosine of half turns, near enough and exact where it matters") {
  for (int i = 0; i <= 4000; ++i) {
    const double x = i / 1000.0;
    CHECK(std::fabs(detail::cosine_of_half_turns(x) - std::cos(3.14159265358979323846 * x)) < 2e-15);
  }
  CHECK(detail::cosine_of_half_turns(0) == 1);
  CHECK(detail::cosine_of_half_turns(0.5) == 0);
  CHECK(detail::cosine_of_half_turns(1) == -1);
  CHECK(detail::cosine_of_half_turns(2) == 1);
}

TEST_CASE("after its end a cycle stays constant, and a cosine repeats") {
  const OneCycleLR cycle{.total_steps = 10};
  CHECK(cycle(0.1, 9) == doctest::Approx(0.1 / 25 / 1e4));
  CHECK(cycle(0.1, 1000) == cycle(0.1, 9));
  CHECK(OneCycleLR{.total_steps = 8, .pct_start = 0.125}(0.1, 0) == 0.1);  // no way up
  CHECK(OneCycleLR{.total_steps = 1}(0.1, 0) == doctest::Approx(0.1 / 25 / 1e4));
  CHECK(CosineAnnealingLR{.T_max = 10}(0.1, 20) == doctest::Approx(0.1));
}

TEST_CASE("a schedule that is called on its own refuses a rate below 0, or NaN") {
  const auto check = [](const auto& schedule) {
    using Schedule = std::remove_cvref_t<decltype(schedule)>;
    CAPTURE(Schedule::name);
    const std::string begin = std::string(Schedule::name) + " was given the learning rate lr = ";
    CHECK(error_of([&] { schedule(-0.1, 3); }) == begin + "-0.1, expected at least 0; correct that option");
    CHECK(error_of([&] { schedule(std::numeric_limits<double>::quiet_NaN(), 3); }) ==
          begin + "nan, expected at least 0; correct that option");
    CHECK(schedule(0, 3) == 0);
  };
  check(StepLR{});
  check(MultiStepLR<2>{.milestones = {1, 2}});
  check(ExponentialLR{});
  check(CosineAnnealingLR{.T_max = 10});
  check(LinearLR{});
  check(OneCycleLR{.total_steps = 10});
  check(WarmUp{5, StepLR{}});
}

TEST_CASE("an optimizer with a schedule makes the steps of one whose rate is set by hand") {
  const std::vector<double> gradients{0.5, -1, 0.25, 0.1, -0.7, 2};
  const auto run = [&](const auto& optimizer, const auto& rate_at) {
    double weight = 1, by_hand = 1;
    double state[2] = {}, state_by_hand[2] = {};
    for (std::size_t i = 0; i < gradients.size(); ++i) {
      const long step = static_cast<long>(i);
      optimizer.template at<double>(step)(weight, gradients[i], state);
      auto now = Adam{.lr = rate_at(step)};
      now.at<double>(step)(by_hand, gradients[i], state_by_hand);
      CHECK(optimizer.rate(step) == rate_at(step));
      CHECK(weight == by_hand);
    }
  };
  const StepLR halves{.step_size = 2, .gamma = 0.5};
  run(per_step(Adam{.lr = 0.1}, halves), [&](long step) { return halves(0.1, step); });
  run(per_epoch(Adam{.lr = 0.1}, halves, 2), [&](long step) { return halves(0.1, step / 2); });
  auto scheduled = per_epoch(Adam{.lr = 0.1}, halves);
  scheduled.tell_epoch(3, 5);
  run(scheduled, [&](long step) { return halves(0.1, 5 + step / 3); });
  auto of_whole_epochs = per_epoch(Adam{.lr = 0.1}, halves);
  detail::tell_epoch(of_whole_epochs, 40, std::numeric_limits<std::size_t>::max(), 0);  // all rows are a batch
  CHECK(of_whole_epochs.steps == 1);
  std::vector<double> weight{1}, gradient{1}, state{0};
  per_step(SGD{.lr = 1}, StepLR{.step_size = 1}).step(weight, gradient, state, 1);
  CHECK(weight[0] == 1 - 0.1);
}

TEST_CASE("an update of a schedule never settles") {
  using Constant = Scheduled<SGD, StepLR>;
  static_assert(SGD::settled == 1 && Constant::settled > 1'000'000'000);
  CHECK(Constant::states == SGD::states);
}

TEST_CASE("bad options of schedules are refused with a message") {
  check_refused([] { StepLR{.step_size = 0}.check(); }, {"StepLR", "step_size = 0", "1 or more"});
  check_refused([] { StepLR{.gamma = -1}.check(); }, {"StepLR", "gamma = -1"});
  check_refused([] { MultiStepLR<2>{.milestones = {5, 3}}.check(); }, {"MultiStepLR", "5 and 3", "sort them"});
  check_refused([] { ExponentialLR{.gamma = -1}.check(); }, {"ExponentialLR", "gamma"});
  check_refused([] { CosineAnnealingLR{.T_max = 0}.check(); }, {"CosineAnnealingLR", "T_max = 0"});
  check_refused([] { LinearLR{.total_iters = 0}.check(); }, {"LinearLR", "total_iters = 0"});
  check_refused([] { WarmUp{0, StepLR{}}.check(); }, {"WarmUp", "total_iters = 0"});
  check_refused([] { WarmUp{1, StepLR{}, 1.5}.check(); }, {"WarmUp", "start_factor = 1.5", "from 0 to 1"});
  check_refused([] { LinearLR{.start_factor = 2}.check(); }, {"LinearLR", "start_factor = 2", "from 0 to 1"});
  check_refused([] { LinearLR{.end_factor = 1.01}.check(); }, {"LinearLR", "end_factor = 1.01", "from 0 to 1"});
  check_refused([] { MultiStepLR<2>{.milestones = {-1, 3}}.check(); }, {"MultiStepLR", "milestone -1", "0 or more"});
  check_refused([] { WarmUp{1, StepLR{.step_size = 0}}.check(); }, {"StepLR", "step_size = 0"});
  check_refused([] { OneCycleLR{.total_steps = 0}.check(); }, {"OneCycleLR", "total_steps = 0"});
  check_refused([] { OneCycleLR{.total_steps = 5, .pct_start = 0.7, .three_phase = true}.check(); }, {"at most 0.5"});
  check_refused([] { OneCycleLR{.total_steps = 5, .div_factor = 0}.check(); }, {"div_factor = 0", "above 0"});
  check_refused([] { ReduceLROnPlateau{.factor = 1}.check(); }, {"ReduceLROnPlateau", "factor = 1, expected"});
  check_refused([] { per_epoch(SGD{}, StepLR{}).check(); }, {"per_epoch", "number of steps of an epoch"});
  check_refused([] { per_step(SGD{.lr = -1}, StepLR{}).check(); }, {"SGD", "lr = -1"});
}

namespace {
/// A schedule of the user's, which only the host computes.
struct Own {
  double factor;
  double operator()(double lr, long) const { return lr * factor; }
  void check() const { detail::require_fraction("Own", "factor", factor); }
};
}  // namespace

TEST_CASE("so are they where a schedule is called on its own, or its optimizer is asked for a step") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto refused = [](const auto& schedule, const std::vector<std::string>& parts) {
    check_refused([&] { (void)schedule(0.1, 3); }, parts);
    check_refused([&] { (void)WarmUp{2, schedule}(0.1, 1); }, parts);  // before it is the schedule's turn
    const auto optimizer = per_step(SGD{.lr = 0.1}, schedule);
    check_refused([&] { (void)optimizer.rate(3); }, parts);
    check_refused([&] { (void)optimizer.template at<double>(3); }, parts);
    check_refused([&] { (void)clip_grad_value(optimizer, 1).template at<double>(3); }, parts);
  };
  refused(StepLR{.step_size = 0}, {"StepLR", "step_size = 0", "1 or more"});
  refused(StepLR{.gamma = nan}, {"StepLR", "gamma = nan", "finite number of at least 0"});
  refused(MultiStepLR<2>{.milestones = {5, 3}}, {"MultiStepLR", "5 and 3", "sort them"});
  refused(MultiStepLR<1>{.milestones = {5}, .gamma = -1}, {"MultiStepLR", "gamma = -1"});
  refused(ExponentialLR{.gamma = -1}, {"ExponentialLR", "gamma = -1", "at least 0"});
  refused(ExponentialLR{.gamma = nan}, {"ExponentialLR", "gamma = nan"});
  refused(CosineAnnealingLR{.T_max = 0}, {"CosineAnnealingLR", "T_max = 0"});
  refused(CosineAnnealingLR{.T_max = -4}, {"CosineAnnealingLR", "T_max = -4"});
  refused(CosineAnnealingLR{.T_max = 4, .eta_min = nan}, {"CosineAnnealingLR", "eta_min = nan"});
  refused(LinearLR{.start_factor = -0.5}, {"LinearLR", "start_factor = -0.5", "from 0 to 1"});
  refused(LinearLR{.end_factor = nan}, {"LinearLR", "end_factor = nan", "from 0 to 1"});
  refused(LinearLR{.total_iters = 0}, {"LinearLR", "total_iters = 0", "1 or more"});
  refused(WarmUp{-1, StepLR{}}, {"WarmUp", "total_iters = -1", "1 or more"});
  refused(WarmUp{1, StepLR{.step_size = -2}}, {"StepLR", "step_size = -2"});
  refused(OneCycleLR{.total_steps = 0}, {"OneCycleLR", "total_steps = 0"});
  refused(OneCycleLR{.total_steps = 5, .div_factor = 0}, {"OneCycleLR", "div_factor = 0", "above 0"});
  refused(OneCycleLR{.total_steps = 5, .pct_start = nan}, {"OneCycleLR", "pct_start = nan", "less than 1"});
  check_refused([] { (void)per_step(SGD{}, Own{2}).rate(0); }, {"Own", "factor = 2"});
  check_refused([] { (void)WarmUp{2, Own{2}}(0.1, 0); }, {"Own", "factor = 2"});
  CHECK(per_step(SGD{.lr = 1}, WarmUp{1, Own{0.5}}).rate(1) == 0.5);
}

TEST_CASE("times before 0 are refused") {
  const auto refused = [](const auto& schedule) {
    return error_of([&] { schedule(0.1, -50); }).find("was asked for the rate at time -50, expected 0 or more") !=
           std::string::npos;
  };
  CHECK(refused(LinearLR{}));
  CHECK(refused(StepLR{}));
  CHECK(refused(ExponentialLR{}));
  CHECK(refused(CosineAnnealingLR{.T_max = 5}));
  CHECK(refused(OneCycleLR{.total_steps = 100}));
  CHECK(refused(WarmUp{5, StepLR{}}));
  CHECK(!error_of([] { per_step(SGD{.lr = 0.1}, LinearLR{}).rate(-30); }).empty());
}

TEST_CASE("what an optimizer says of its updates is not said of one derived from it") {
  struct Own : SGD {};
  static_assert(settled_step<SGD> == 1 && settled_step<Own> == std::numeric_limits<long>::max());
  static_assert(settled_step<Lion> == 0 && settled_step<ClipGradValue<Lion>> == 0);
  static_assert(StatesFacts<Scheduled<SGD, StepLR>> && !StatesFacts<Scheduled<Own, StepLR>>);
}

TEST_CASE("the number of steps of an epoch is refused by what was given") {
  const std::vector<std::string> none{"per_epoch() was not given the number of steps"},
      below{"per_epoch() was given steps = -5, expected 1 or more"};
  check_refused([] { per_epoch(SGD{}, StepLR{}, -5).check(); }, below);
  check_refused([] { (void)per_epoch(SGD{}, StepLR{}, -5).rate(3); }, below);
  check_refused([] { (void)per_epoch(SGD{}, StepLR{}).rate(3); }, none);
}
