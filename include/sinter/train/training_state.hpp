// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "sinter/core/aligned.hpp"
#include "sinter/core/error.hpp"
#include "sinter/core/finite.hpp"
#include "sinter/core/named_options.hpp"
#include "sinter/core/text.hpp"
#include "sinter/data/row_range.hpp"
#include "sinter/device/engine.hpp"
#include "sinter/kernels/apply_optimizer.hpp"
#include "sinter/kernels/step_arguments.hpp"
#include "sinter/loss/weight.hpp"
#include "sinter/network/fingerprint.hpp"
#include "sinter/optimizer/check_state.hpp"
#include "sinter/optimizer/moving_average.hpp"
#include "sinter/train/accumulated_rows.hpp"
#include "sinter/train/chunks.hpp"
#include "sinter/train/options_below_one.hpp"
#include "sinter/train/problem.hpp"
#include "sinter/train/snapshot.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {

/// The state of training. A device may have made more steps than are known here, until `look` queries it.
template <class Net, class Loss, class Optimizer>
struct TrainingState {
  using Scalar = typename Net::Scalar;
  using Model = typename Net::Model;
  using InputRow = typename Net::InputRow;
  using Ops = typename Net::Ops;
  using Engine = typename Net::Engine;
  static constexpr std::size_t state_size = static_cast<std::size_t>(Ops::arena_size) * Optimizer::states;
  /// Else only some options of the optimizer need its state: SGD without momentum has none.
  static constexpr bool always_has_state = [] {
    using Update = decltype(std::declval<const Optimizer&>().template at<Scalar>(0));
    return KeepsData<Engine> || !requires(const Update& update) { update.uses_state(); };
  }();

  Net* net;
  Loss loss;
  Optimizer optimizer;
  double first_rate;  // that the optimizer was given with
  mutable Engine engine;
  typename Net::Array state;  // of the optimizer; empty until it is needed
  std::vector<double> factors;
  AccumulatedRows rows;
  std::size_t rows_kept = 0;     // of the batch that went forward alone, until something else is asked of the engine
  std::size_t rows_carried = 0;  // whose states the next batch begins with
  bool carries = false;
  bool state_is_shared = false;       // somebody may write to it
  const void* inputs_kept = nullptr;  // where the numbers of that batch were
  std::uint64_t weights_kept = 0;     // that it went forward through: see GradientUse
  std::uint64_t sum = 0;              // of the rows accumulated, likewise
  mutable long steps = 0, attempts = 0;
  mutable double last_loss = 0;
  std::array<double, heads_of_loss<Loss>> losses_of_heads{};  // of the batch added last
  mutable std::string problem;

  SINTER_COLD TrainingState(Net& on, const Loss& by, const Optimizer& with)
      : net(&on),
        loss(by),
        optimizer(with),
        first_rate(with.lr),
        engine(on.device()),
        state(always_has_state ? Engine::zeros(on.device(), state_size) : typename Net::Array{}) {}
  TrainingState(Net& copy, const TrainingState& other)
      : net((other.look(), &copy)),
        loss(other.loss),
        optimizer(other.optimizer),
        first_rate(other.first_rate),
        engine(copy.device()),
        state(other.state),
        factors(other.factors),
        rows(other.rows),
        rows_carried(other.rows_carried),
        carries(other.carries),
        sum(copy.gradient_use().begin_sum()),
        steps(other.steps),
        attempts(other.attempts),
        last_loss(other.last_loss),
        problem(other.problem) {
    if constexpr (carries_states<Engine>) engine.carried() = other.engine.carried();
  }
  TrainingState(const TrainingState&) = delete;
  TrainingState& operator=(const TrainingState&) = delete;

  /// The results of steps that the device has made by itself.
  void look() const {
    if constexpr (KeepsData<Engine>) {
      if (!engine.ahead()) return;
      const auto latest = engine.look();
      if (latest.counts.tried == attempts) return;
      steps = latest.counts.steps;
      attempts = latest.counts.tried;
      last_loss = latest.loss;
      problem.clear();
      if (latest.unsound) describe_problem(is_finite(latest.loss) ? "a gradient" : "the loss", attempts - 1);
    }
  }

  void carry_state(bool on) {
    if (on) check_carried<Net>("carry_state() was called");
    carries = on;
    rows_carried = 0;
    if constexpr (carries_states<Engine>) engine.carried().carry(on);
  }
  void reset_state() {
    rows_carried = 0;
    if constexpr (carries_states<Engine>) engine.carried().reset();
  }
  /// To be called before a forward pass, and before one whose states the next one begins with.
  void check_rows(std::size_t count) const {
    if (carries && rows_carried != 0 && rows_carried != count)
      fail("a Trainer that carries states was given a batch of " + std::to_string(count) + " rows after one of " +
           std::to_string(rows_carried) + "; give it the next chunk of each row, or call reset_state()");
  }
  void expect_rows(std::size_t count) {
    check_rows(count);
    rows_carried = carries ? count : 0;
  }

  /// See Trainer.
  RowRange rows_to_read(std::size_t batch) const {
    if constexpr (requires { engine.rows_to_read(batch); })
      return engine.rows_to_read(batch);
    else
      return {0, batch};
  }
  template <class Value>
  void gather_rows([[maybe_unused]] Value* rows_of_batch, [[maybe_unused]] std::size_t batch) const {
    if constexpr (requires { engine.gather_rows(rows_of_batch, batch); }) engine.gather_rows(rows_of_batch, batch);
  }

  /// Fails at a state that the optimizer cannot have made, where somebody may have written to it.
  SINTER_COLD void check_shared_state() const {
    if (state_is_shared && state.size() > 0) check_state<Ops>(optimizer, state.data());
  }

  Snapshot<Scalar> snapshot() const {
    look();
    const auto& numbers = Engine::to_host(state);
    std::vector<Scalar> all(state_size);
    std::copy_n(numbers.data(), numbers.size(), all.data());
    return {std::move(all), factors, optimizer.lr, steps, attempts, name_of_kind<Optimizer>(), fingerprint_of<Model>()};
  }
  void restore(const Snapshot<Scalar>& snapshot) {
    if (const std::string own = name_of_kind<Optimizer>(); snapshot.optimizer != own)
      fail(joined({"a Trainer with ", own, " was given the snapshot of one with ",
                   snapshot.optimizer.empty() ? "no optimizer" : snapshot.optimizer,
                   "; give it that of the same model and optimizer"}));
    if (snapshot.model != fingerprint_of<Model>())
      fail("a Trainer was given the snapshot of one of another model; give it that of the same model and optimizer");
    if (snapshot.state.size() != state_size ||
        (!snapshot.factors.empty() && snapshot.factors.size() != Ops::parameters.size()))
      fail("a Trainer was given the snapshot of another one; give it that of the same model and optimizer");
    if (snapshot.steps < 0 || snapshot.attempts < snapshot.steps || !is_finite(snapshot.rate) || snapshot.rate < 0 ||
        std::ranges::any_of(snapshot.factors, [](const double& x) { return !is_finite(x) || x < 0; }))
      fail(
          "a Trainer was given a snapshot with a number of steps, a rate or a factor that none has; give it one that "
          "snapshot() has made");
    check_state<Ops>(optimizer, snapshot.state.data());
    look();
    const bool zeros = std::ranges::all_of(snapshot.state, [](Scalar x) { return x == 0; });
    AlignedArray<Scalar> numbers(always_has_state || !zeros ? state_size : 0);
    std::copy_n(snapshot.state.data(), numbers.size(), numbers.data());
    state = Engine::to_device(net->device(), std::move(numbers));
    factors = snapshot.factors;
    optimizer.lr = snapshot.rate;
    steps = snapshot.steps;
    attempts = snapshot.attempts;
    problem.clear();
    rows.clear();
    rows_kept = 0;
  }

  /// Its options may have been assigned to since the Trainer was made.
  SINTER_COLD void check_optimizer() const {
    optimizer.check();
    check_options_below_one<Scalar>(optimizer);
    check_averaged(optimizer, net);
  }
  UpdateStep<Optimizer> next_update() const { return {optimizer, steps, factors}; }
  /// What an update reads and writes. The options of the optimizer have been checked.
  Arenas<Scalar> arenas() {
    if constexpr (!always_has_state)
      if (state.size() == 0 && uses_state(optimizer.template at<Scalar>(steps)))
        state = Engine::zeros(net->device(), state_size);
    return {.parameters = net->data(), .gradient = net->gradient().data(), .state = state.data()};
  }
  MaskKey mask_key() const { return {net->seed(), static_cast<std::uint32_t>(attempts)}; }

  bool rate_is_finite() { return internal::detail::rate_is_finite<Scalar>(optimizer, steps, attempts, problem); }
  SINTER_COLD void describe_problem(const char* what) const { describe_problem(what, attempts); }
  SINTER_COLD void describe_problem(const char* what, long step) const {
    problem = problem_text<Model>(what, step, Engine::to_host(net->gradient()));
    if (carries) problem += "; the states that are carried may not be finite either: call reset_state()";
  }
};

}  // namespace detail

SINTER_NAMESPACE_END
