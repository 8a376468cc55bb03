// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "sinter/core/error.hpp"
#include "sinter/data/batch.hpp"
#include "sinter/data/check.hpp"
#include "sinter/data/finite.hpp"
#include "sinter/device/engine.hpp"
#include "sinter/kernels/step_arguments.hpp"
#include "sinter/loss/supplied.hpp"
#include "sinter/loss/target.hpp"
#include "sinter/network/network.hpp"
#include "sinter/ops/mask_key.hpp"
#include "sinter/optimizer/clip_grad.hpp"
#include "sinter/train/batch_weight.hpp"
#include "sinter/train/check.hpp"
#include "sinter/train/check_loss.hpp"
#include "sinter/train/gradient_norm.hpp"
#include "sinter/train/problem.hpp"
#include "sinter/train/store_average.hpp"

SINTER_NAMESPACE_BEGIN

/// Trains a network step by step, for a loop of one's own; `fit` is written with it.
///
///     Trainer trainer{net, NLLLoss{}, SGD{.lr = 0.01}};
///     float loss = trainer.step(x, labels);
///
/// On a GPU `step` waits for nothing: its loss stays there until a number is wanted of what it returns.
///
/// A step forwards, takes the mean loss over the rows, goes backward and updates. It allocates nothing once a batch of
/// that size has been seen (on Cuda, none on the device). When the loss or a gradient is not finite the update is left out, the parameters stay those
/// of the last step, and `problem()` says what happened. It keeps a pointer to the network, which must stay where it is
/// and live as long: see OwningTrainer for the two in one object.
template <class Net, class Loss, class Optimizer>
class Trainer {
 public:
  using Scalar = typename Net::Scalar;
  using Ops = typename Net::Ops;
  using InputRow = typename Net::InputRow;
  using Engine = typename Net::Engine;
  using StepLoss = typename LossOfStep<Engine, Scalar>::Type;

  Trainer(Net& net, Loss loss, Optimizer optimizer)
      : net_(&net),
        loss_(loss),
        optimizer_(optimizer),
        engine_(net.device()),
        state_(Net::Engine::zeros(net.device(), static_cast<std::size_t>(Ops::arena_size) * Optimizer::states)) {
    check_loss<typename Net::Model, Loss>();
    detail::check_options(loss);
    optimizer_.check();
    if constexpr (check_trainable<Net>()) net.gradient();
  }
  /// Goes on where another Trainer stands, with `net`, a copy of its network.
  Trainer(Net& net, const Trainer& other)
      : net_((other.look(), &net)),
        loss_(other.loss_),
        optimizer_(other.optimizer_),
        engine_(net.device()),
        state_(other.state_),
        positions_(other.positions_),
        factors_(other.factors_),
        rows_(other.rows_),
        steps_(other.steps_),
        attempts_(other.attempts_),
        last_loss_(other.last_loss_),
        problem_(other.problem_) {}
  // A copy would train the network of the original: OwningTrainer may be copied and moved.
  Trainer(const Trainer&) = delete;
  Trainer& operator=(const Trainer&) = delete;

  /// One step on a batch: x [B] rows of the network's input (float or double, any strides), and B labels or rows of
  /// targets; or a dataset, such as a `subset` of one (bytes come so, because it says how they are scaled). Returns the
  /// mean loss before the update.
  template <class X, class Targets>
  StepLoss step(const X& x, const Targets& targets) {
    if constexpr (check_inputs<Net, X>() && check_targets<Net, Loss, ViewOf<Targets>>())
      return whole_step(view(x), in_order(targets), Normalize{});
    else
      return 0;
  }

  template <Dataset D>
  StepLoss step(const D& data) {
    if constexpr (check_inputs<Net, inputs_of<D>>() && check_scale<D>() && check_targets<Net, Loss, targets_of<D>>()) {
      check_row_weights(data);
      return whole_step(data.inputs(), batch_targets(data), normalize_of(data));
    } else {
      return 0;
    }
  }

  /// Adds a batch's gradient to what there is since the last update: several make one larger batch, its gradient the
  /// mean over all rows. Returns the mean loss of this batch. `input_gradient` [B][input], where given, takes the
  /// gradient of that mean with respect to x.
  template <class X, class Targets>
  Scalar accumulate(const X& x, const Targets& targets) {
    if constexpr (check_inputs<Net, X>() && check_targets<Net, Loss, ViewOf<Targets>>())
      return add(view(x), in_order(targets), nullptr);
    else
      return 0;
  }
  template <class X, class Targets>
  Scalar accumulate(const X& x, const Targets& targets, Tensor<Scalar, InputRow>& input_gradient) {
    if constexpr (check_inputs<Net, X>() && check_targets<Net, Loss, ViewOf<Targets>>()) {
      resize(input_gradient, view(x).rows);
      return add(view(x), in_order(targets), input_gradient.data());
    } else {
      return 0;
    }
  }

  template <Dataset D>
  Scalar accumulate(const D& data) {
    if constexpr (check_inputs<Net, inputs_of<D>>() && check_scale<D>() && check_targets<Net, Loss, targets_of<D>>()) {
      check_row_weights(data);
      return add(data.inputs(), batch_targets(data), nullptr, normalize_of(data));
    } else {
      return 0;
    }
  }

  /// Goes backward from a gradient of the output that the caller supplies, dy [B][output], of the sum (not the mean)
  /// over its rows. Returns nothing to be minimised; `update()` follows.
  template <class X, class Y>
  void backward(const X& x, const Y& dy) {
    if constexpr (check_inputs<Net, X>() && check_targets<Net, SuppliedGradient, ViewOf<Y>>())
      backward_into(x, dy, nullptr);
  }
  template <class X, class Y>
  void backward(const X& x, const Y& dy, Tensor<Scalar, InputRow>& input_gradient) {
    if constexpr (check_inputs<Net, X>() && check_targets<Net, SuppliedGradient, ViewOf<Y>>()) {
      resize(input_gradient, view(x).rows);
      backward_into(x, dy, input_gradient.data());
    }
  }

  /// Applies the optimizer to the gradient, unless something was not finite: then it returns false.
  bool update() {
    look();
    if (rows_ == 0) fail("update() was called with no gradient; call accumulate() or backward() first");
    bool sound = problem_.empty() && gradient_is_finite() && rate_is_finite();
    if (sound) {
      optimizer_.check();  // its options may have been assigned to
      clip();
      sound = update_is_finite();
    }
    if (sound) {
      engine_.apply(next_update(), arenas());
      if constexpr (Ops::buffer_count > 0) engine_.statistics().keep(net_->data());
      ++steps_;
    }
    ++attempts_;
    clear();
    return sound;
  }

  /// A factor on the learning rate of one parameter, by name ("0.weight"); 0 freezes it, its momentum included.
  SINTER_COLD void set_rate_factor(const std::string& name, double factor) {
    if (!(factor >= 0) || !is_finite(factor))
      fail("the factor " + std::to_string(factor) + " on the rate of \"" + name + "\" was given; give 0 or more");
    const std::size_t which = Net::index_of(name);  // fails on a name that there is not
    factors_.resize(Ops::parameters.size(), 1);
    factors_[which] = factor;
  }
  void freeze(const std::string& name) { set_rate_factor(name, 0); }

  /// Gives the network of a moving_average() the average so far; parameters that are frozen it gets as they are.
  void store_average() {
    look();
    if constexpr (KeepsAverage<Optimizer>) {
      const auto& state = Net::Engine::to_host(state_);
      detail::store_average(*net_, optimizer_, state.data(), factors_, steps_);
    }
  }

  /// Drops the gradient of what was accumulated.
  void clear() {
    rows_ = 0;
    weight_ = 0;
  }

  /// Empty, or why the last update was left out: what was not finite, in which step and first in which layer.
  const std::string& problem() const {
    look();
    return problem_;
  }
  /// Updates so far.
  long steps() const {
    look();
    return steps_;
  }
  /// The mean loss of the last batch. Also of the last step that a graph made in which one was captured.
  Scalar loss() const {
    look();
    return static_cast<Scalar>(last_loss_);
  }
  Optimizer& optimizer() { return optimizer_; }
  const Optimizer& optimizer() const { return optimizer_; }
  Net& network() { return *net_; }
  const Net& network() const { return *net_; }

  /// What a Trainer knows besides its network, between two updates: what a checkpoint keeps.
  struct Standing {
    std::vector<Scalar> state;    ///< of the optimizer, [states][arena_size]
    std::vector<double> factors;  ///< on the rate of each parameter; empty: all 1
    double rate = 0;
    long steps = 0, attempts = 0;
  };
  Standing standing() const {
    look();
    const auto& state = Engine::to_host(state_);
    return {{state.data(), state.data() + state.size()}, factors_, optimizer_.lr, steps_, attempts_};
  }
  /// Goes on from there, with the parameters that its network has.
  void stand_at(const Standing& standing) {
    AlignedArray<Scalar> state(static_cast<std::size_t>(Ops::arena_size) * Optimizer::states);
    if (standing.state.size() != state.size() ||
        (!standing.factors.empty() && standing.factors.size() != Ops::parameters.size()))
      fail("a Trainer was given the standing of another one; give it that of the same model and optimizer");
    look();
    std::copy(standing.state.begin(), standing.state.end(), state.data());
    state_ = Engine::to_device(net_->device(), std::move(state));
    factors_ = standing.factors;
    optimizer_.lr = standing.rate;
    steps_ = standing.steps;
    attempts_ = standing.attempts;
    problem_.clear();
    clear();
  }

  /// Whether the device may make many steps on a dataset by itself.
  template <class D>
  static constexpr bool steps_ahead = !detail::divides_by_weights<Loss, D> && !ClipsNorm<Optimizer>;

  // -- for fit: rows of a dataset, checked beforehand; masks keyed by the row and the epoch ------------------------------

  template <class D>
  Scalar step_on(const D& data, const std::uint32_t* rows, std::size_t count, std::uint32_t epoch) {
    clear();
    const RowChoice choice{rows};
    const Scalar loss = add_batch(
        TrainingBatch{.inputs = BatchInputs<std::remove_cvref_t<decltype(data.inputs())>>{data.inputs(), choice,
                                                                                          normalize_of(data)},
                      .rows = count,
                      .targets = batch_targets(data, choice),
                      .samples = rows,
                      .key = {net_->seed(), epoch}},
        loss_, nullptr);
    update();
    return loss;
  }

  /// A dataset in the memory of the device, for `steps_on`.
  template <class D>
  auto keep(const D& data) const {
    return engine_.keep(data, true);
  }
  template <class Kept>
  std::size_t most_steps(const Kept& kept, std::size_t batch) const {
    return engine_.template most_steps<Optimizer::states>(std::min(batch, kept.size));
  }
  /// `count` steps from row `first` of an epoch's order on, into the next epochs, and the sum of the losses of each one's
  /// rows; fewer, where one was not sound.
  template <class Kept>
  std::span<const double> steps_on(const Kept& kept, const EpochOrder& order, std::size_t first, std::size_t batch,
                                   std::size_t count) {
    clear();
    look();
    problem_.clear();
    if (!rate_is_finite()) return {};
    const auto made = engine_.steps(kept, {.order = order, .first = first, .batch = batch, .count = count}, loss_,
                                    next_update(), arenas());
    steps_ += static_cast<long>(made.applied);
    attempts_ += static_cast<long>(made.applied);
    if (made.applied < count) {
      describe_problem(is_finite(made.losses.back()) ? "a gradient" : "the loss");
      ++attempts_;
    }
    return made.losses.first(made.applied);
  }

 private:
  /// By the device alone, where it can.
  template <class Inputs, class Targets>
  StepLoss whole_step(const Inputs& inputs, const Targets& targets, Normalize normalize) {
    clear();
    if constexpr (StepsWithoutHost<Engine> && !WeighsClasses<Loss> && !HasRowWeights<Targets> &&
                  !ClipsNorm<Optimizer> && std::is_trivially_copyable_v<Optimizer>)
      if (detail::rate_problem<Scalar>(optimizer_.lr, attempts_).empty()) {
        check(inputs, targets);
        optimizer_.check();
        return engine_.step(TrainingBatch{.inputs = BatchInputs<Inputs>{inputs, {}, normalize},
                                          .rows = inputs.rows,
                                          .targets = targets,
                                          .samples = nullptr,
                                          .key = mask_key()},
                            loss_, next_update(), arenas());
      }
    const Scalar loss = add(inputs, targets, nullptr, normalize);
    update();
    return loss;
  }
  /// What became of steps that the device has made alone.
  void look() const {
    if constexpr (StepsWithoutHost<Engine>) {
      if (!engine_.ahead()) return;
      const auto news = engine_.look();
      if (news.counts.tried == attempts_) return;
      steps_ = news.counts.steps;
      attempts_ = news.counts.tried;
      last_loss_ = news.loss;
      problem_.clear();
      if (news.unsound) describe_problem(is_finite(news.loss) ? "a gradient" : "the loss", attempts_ - 1);
    }
  }

  template <class Targets>
  using ViewOf = decltype(detail::view_of(std::declval<const Targets&>()));
  template <class T, class Memory>
  static TensorView<const std::remove_const_t<T>, InputRow, Memory> view(const TensorView<T, InputRow, Memory>& x) {
    static_assert(sizeof(T) > 1,
                  "sinter: bytes need a scale: give the step a dataset, dataset(rows, labels, "
                  "Normalize::pixels(mean, deviation)) or a subset of one");
    return x;
  }
  template <class T>
  static TensorView<const T, InputRow> view(const Tensor<T, InputRow>& x) {
    return x.view();
  }

  template <class Targets>
  static auto in_order(const Targets& targets) {
    return BatchTargets<ViewOf<Targets>>{detail::view_of(targets)};
  }

  template <class Inputs, class Targets, class InputGradient>
  Scalar add(const Inputs& inputs, const Targets& targets, InputGradient input_gradient, Normalize normalize = {}) {
    const std::size_t count = inputs.rows;
    check(inputs, targets);
    look();
    const double before = weight_;
    const Scalar loss = add_batch(TrainingBatch{.inputs = BatchInputs<Inputs>{inputs, {}, normalize},
                                                .rows = count,
                                                .targets = targets,
                                                .samples = positions(count),
                                                .key = mask_key()},
                                  loss_, input_gradient);
    if constexpr (!std::is_null_pointer_v<InputGradient>) {
      // Of the mean over this batch, also where the parameters' gradient is of the mean over several.
      const double own = weight_ - before;
      const Scalar factor = static_cast<Scalar>(own > 0 ? weight_ / own : 1);
      if (before != 0)
        for (std::size_t i = 0; i < count * InputRow::size; ++i) input_gradient[i] = input_gradient[i] * factor;
    }
    return loss;
  }

  template <class Inputs, class Targets>
  void check(const Inputs& inputs, const Targets& targets) const {
    if constexpr (std::is_same_v<typename Loss::Target, ClassTarget>) {
      check_batch(inputs.rows, targets.labels.size());
      detail::check_labels_for(loss_, targets.labels, Net::output_size);
    } else {
      check_batch(inputs.rows, targets.view.rows);
    }
  }
  template <class D>
  static void check_row_weights([[maybe_unused]] const D& data) {
    if constexpr (HasWeights<D>) {
      check_size(data);
      check_weights(data.weights());
    }
  }

  template <class X, class Y, class InputGradient>
  void backward_into(const X& x, const Y& dy, InputGradient input_gradient) {
    look();
    const auto inputs = view(x);
    const auto given = detail::view_of(dy);
    check_batch(inputs.rows, given.rows);
    add_batch(TrainingBatch{.inputs = BatchInputs<std::remove_const_t<decltype(inputs)>>{inputs},
                            .rows = inputs.rows,
                            .targets = BatchTargets<std::remove_const_t<decltype(given)>>{given},
                            .samples = positions(inputs.rows),
                            .key = mask_key()},
              SuppliedGradient{}, input_gradient);
  }

  template <class Batch, class AnyLoss, class InputGradient>
  Scalar add_batch(const Batch& batch, const AnyLoss& loss, InputGradient input_gradient) {
    const double weight = detail::weight_of_batch(loss, batch.targets, batch.rows), total = weight_ + weight;
    constexpr bool mean = !std::is_same_v<AnyLoss, SuppliedGradient>;
    auto& gradient = net_->gradient();
    if constexpr (Ops::buffer_count > 0) check_statistics(batch.rows);
    if (rows_ == 0) {
      if constexpr (Ops::buffer_count > 0) engine_.statistics().drop();
      problem_.clear();
    }
    // What is there already counts less in the mean over all rows.
    const double share = rows_ == 0 ? 0 : mean && total > 0 ? weight_ / total : 1;
    const Scalar scale = mean ? static_cast<Scalar>(detail::share_of_row(total)) : Scalar(1);
    const double sum = engine_.accumulate(
        net_->data(), batch, loss, GradientSum{scale, gradient.data(), input_gradient, static_cast<Scalar>(share)});
    rows_ += batch.rows;
    weight_ = total;
    const double value = weight > 0 ? sum / weight : sum;
    last_loss_ = value;
    if (!is_finite(value)) describe_problem("the loss");
    return static_cast<Scalar>(value);
  }

  SINTER_COLD static void check_batch(std::size_t rows, std::size_t targets) {
    if (rows == 0) fail("a training step was given a batch of 0 rows; give it 1 or more");
    if (rows != targets)
      fail("a training step was given " + std::to_string(rows) + " rows and " + std::to_string(targets) +
           " targets; give it one target for each row");
  }
  /// The variance of a channel needs two numbers.
  SINTER_COLD static void check_statistics(std::size_t rows) {
    for (const Op& op : Ops::ops)
      if (op.kind == OpKind::statistics && rows == 1 && op.in.pixels() == 1)
        fail(std::string("layer ") + std::to_string(op.layer) + " (" +
             Ops::layer_names[static_cast<std::size_t>(op.layer)] +
             ") was given a batch with 1 row to train on, and takes statistics over its rows; give it 2 or more, also "
             "in "
             "the last batch of an epoch");
  }
  static void resize(Tensor<Scalar, InputRow>& tensor, std::size_t rows) {
    if (tensor.rows() != rows) tensor = Tensor<Scalar, InputRow>(rows);
  }
  /// What keys the masks of a batch that comes without a dataset: its rows, counted since the last update.
  const std::uint32_t* positions(std::size_t count) {
    while (positions_.size() < rows_ + count) positions_.push_back(static_cast<std::uint32_t>(positions_.size()));
    return positions_.data() + rows_;
  }

  UpdateStep<Optimizer> next_update() const { return {optimizer_, steps_, factors_}; }
  Arenas<Scalar> arenas() {
    return {.parameters = net_->data(), .gradient = net_->gradient().data(), .state = state_.data()};
  }
  MaskKey mask_key() const { return {net_->seed(), static_cast<std::uint32_t>(attempts_)}; }

  void clip() {
    if constexpr (ClipsNorm<Optimizer>) {
      const auto& gradient = Net::Engine::to_host(net_->gradient());
      const double norm = detail::gradient_norm<typename Net::Model>(gradient.data(), factors_);
      const double share = detail::clipped_share(norm, optimizer_.max_norm);
      if (share < 1) engine_.scale(net_->gradient(), static_cast<Scalar>(share));
    }
  }
  bool gradient_is_finite() {
    const bool finite = engine_.all_finite(net_->gradient());
    if (!finite) describe_problem("a gradient");
    return finite;
  }
  /// A device with a memory of its own looks at the weights there.
  bool update_is_finite() {
    if constexpr (!keeps_data<Engine>) {
      if (engine_.update_is_finite(next_update(), {net_->data(), net_->gradient().data(), state_.data()})) return true;
      problem_ = detail::weight_problem(attempts_);
      return false;
    } else {
      return true;
    }
  }
  bool rate_is_finite() {
    std::string problem = detail::rate_problem<Scalar>(optimizer_.lr, attempts_);
    if (problem.empty()) return true;
    problem_ = std::move(problem);
    return false;
  }
  SINTER_COLD void describe_problem(const char* what) const { describe_problem(what, attempts_); }
  SINTER_COLD void describe_problem(const char* what, long step) const {
    problem_ = detail::problem_text<typename Net::Model>(what, step, Net::Engine::to_host(net_->gradient()));
  }

  Net* net_;
  Loss loss_;
  Optimizer optimizer_;
  mutable Engine engine_;
  typename Net::Array state_;
  std::vector<std::uint32_t> positions_;
  std::vector<double> factors_;  // on the rate of each parameter; empty: all 1
  std::size_t rows_ = 0;         // in the gradient,
  double weight_ = 0;            // and what they weigh together
  // As far as is known here: a device may be ahead.
  mutable long steps_ = 0, attempts_ = 0;
  mutable double last_loss_ = 0;
  mutable std::string problem_;
};

SINTER_NAMESPACE_END
