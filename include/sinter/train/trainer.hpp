// SPDX-License-Identifier: MIT
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

#include "sinter/core/braced.hpp"
#include "sinter/core/named_options.hpp"
#include "sinter/core/text.hpp"
#include "sinter/data/batch.hpp"
#include "sinter/loss/supplied.hpp"
#include "sinter/network/network.hpp"
#include "sinter/optimizer/scheduled.hpp"
#include "sinter/train/add_batch.hpp"
#include "sinter/train/check.hpp"
#include "sinter/train/check_averaged.hpp"
#include "sinter/train/check_loss.hpp"
#include "sinter/train/given_batch.hpp"
#include "sinter/train/kept_batch.hpp"
#include "sinter/train/make_update.hpp"
#include "sinter/train/rate_factors.hpp"
#include "sinter/train/refused_trainer.hpp"
#include "sinter/train/row_functor_probe.hpp"
#include "sinter/train/step_on_device.hpp"
#include "sinter/train/steps_for_fit.hpp"
#include "sinter/train/store_average.hpp"
#include "sinter/train/training_options.hpp"
#include "sinter/train/training_state.hpp"

SINTER_NAMESPACE_BEGIN

/// fit of a Trainer is found by its argument alone, so that no compiler lists it where fit of a network is wrong.
namespace trainers {
struct Functions {};
}  // namespace trainers

/// Trains a network step by step, for a loop of your own; `fit` is written with it.
///
///     Trainer trainer{net, NLLLoss{}, SGD{.lr = 0.01}};
///     float loss = trainer.step(x, labels);
///
/// Without a loss, `Trainer{net, SGD{.lr = 0.01}}`, it is given the gradient of the outputs by `backward`.
/// On a GPU `step` waits for nothing: its loss stays on the device until the result is converted to a number.
///
/// A step is a forward pass, the mean loss over the rows, a backward pass and an update. It allocates nothing once a
/// batch of that size has been seen (on Cuda, none on the device). If the loss or a gradient is not finite, the update
/// is skipped and `problem()` says why. It keeps a pointer to the network, which must not move and must outlive it: see
/// OwningTrainer for the two in one object.
template <class Net, class Loss, class Optimizer>
class Trainer : public detail::StepsForFit<Net, Loss, Optimizer>, public trainers::Functions {
  using Base = detail::StepsForFit<Net, Loss, Optimizer>;
  using Base::at_, Base::begin;
  using Work = typename Base::Work;
  template <class Targets>
  using ViewOf = detail::TargetsView<Targets>;

 public:
  using Scalar = typename Net::Scalar;
  using Ops = typename Net::Ops;
  using InputRow = typename Net::InputRow;
  using OutputRow = typename Net::OutputRow;
  using Engine = typename Net::Engine;
  using StepLoss = typename Engine::StepLoss;

  SINTER_COLD Trainer(Net& net, Loss loss, Optimizer optimizer) : Base(net, loss, optimizer) {
    if constexpr (check_is_loss<Loss, Scalar>())
      if constexpr (check_loss<typename Net::Model, Loss>()) detail::check_loss_for<Net>(loss);
    if (const std::string fault = detail::fault_of_row_functors<Ops>(); !fault.empty()) fail(fault);
    if constexpr (check_averages_into<Net, Optimizer>()) at_.check_optimizer();
    detail::check_options_in<Scalar>(optimizer);
    if constexpr (check_trainable<Net>()) net.gradient();
  }
  Trainer(Net& net, Optimizer optimizer)
    requires std::same_as<Loss, SuppliedGradient>
      : Trainer(net, SuppliedGradient{}, optimizer) {}
  /// Continues from the state of another Trainer, with `net`, a copy of its network.
  Trainer(Net& net, const Trainer& other) : Base(net, other.at_) { detail::check_averaged(other.optimizer(), &net); }
  // A copy would train the network of the original: OwningTrainer may be copied and moved.
  Trainer(const Trainer&) = delete;
  Trainer& operator=(const Trainer&) = delete;

  /// One step on a batch: x [B] rows of the network's input (float or double, any strides), and B labels or rows of
  /// targets; or a dataset, such as a `subset` of one (bytes come so, because it says how they are scaled). Returns the
  /// mean loss before the update.
  template <class X = detail::Braced, class Targets = detail::Braced>
  StepLoss step(const X& x, const Targets& targets) {
    if constexpr (check_has_loss<Loss, Scalar>() && check_inputs<Net, X>())
      if constexpr (check_targets<Net, Loss, ViewOf<Targets>>())
        return whole_step(view(x), detail::targets_in_order(targets), Normalize{});
    return 0;
  }

  template <class D = detail::Braced>
  StepLoss step(const D& data) {
    if constexpr (check_has_loss<Loss, Scalar>() && check_is_dataset<D>())
      if constexpr (check_inputs<Net, inputs_of<D>>() && check_scale<D>() &&
                    check_targets<Net, Loss, targets_of<D>>()) {
        detail::check_row_weights(data);
        return whole_step(data.inputs(), batch_targets(data), normalize_of(data));
      }
    return 0;
  }

  /// Adds a batch's gradient to the one accumulated since the last update: several make one larger batch, whose
  /// gradient is the mean over all rows. Returns the mean loss of this batch. `input_gradient` [B][input], if given,
  /// becomes the gradient of that loss with respect to x. For head_losses() with class weights, it is the mean of the
  /// batches' gradients, weighted by their rows: each head's loss is divided by the weights of the batch's labels.
  template <class X = detail::Braced, class Targets = detail::Braced>
  Scalar accumulate(const X& x, const Targets& targets) {
    if constexpr (check_has_loss<Loss, Scalar>() && check_inputs<Net, X>())
      if constexpr (check_targets<Net, Loss, ViewOf<Targets>>())
        return add(view(x), detail::targets_in_order(targets), nullptr);
    return 0;
  }
  template <class X = detail::Braced, class Targets = detail::Braced>
  Scalar accumulate(const X& x, const Targets& targets, Tensor<Scalar, InputRow>& input_gradient) {
    if constexpr (check_has_loss<Loss, Scalar>() && check_inputs<Net, X>())
      if constexpr (check_targets<Net, Loss, ViewOf<Targets>>()) {
        resize(input_gradient, view(x).rows);
        return add(view(x), detail::targets_in_order(targets), input_gradient.data());
      }
    return 0;
  }

  template <class D = detail::Braced>
  Scalar accumulate(const D& data) {
    if constexpr (check_has_loss<Loss, Scalar>() && check_is_dataset<D>())
      if constexpr (check_inputs<Net, inputs_of<D>>() && check_scale<D>() &&
                    check_targets<Net, Loss, targets_of<D>>()) {
        detail::check_row_weights(data);
        return add(data.inputs(), batch_targets(data), nullptr, normalize_of(data));
      }
    return 0;
  }

  /// The forward pass in training mode (with dropout, and the statistics of the batch). Keeps what `backward(dy)` needs
  /// for all rows: on Host about as much memory as that many rows of all layers take. Returns y [B][output], valid
  /// until the next forward. Masks follow from seed, update, row and `draw`: the same draw has the same masks, another
  /// one others. Rows count from the last update on, so a batch after one that went `backward` has those that follow.
  /// Without `backward` it changes no running average, no carried state. Not on Cuda.
  template <class X = detail::Braced>
  const Tensor<Scalar, OutputRow>& forward(const X& x, std::uint32_t draw = 0) {
    if constexpr (check_keeps_batch<Net>() && check_inputs<Net, X>()) {
      const Work work = begin();
      const auto inputs = view(x);
      detail::check_counts(inputs.rows, inputs.rows);
      detail::check_pointer(inputs.data, inputs.rows, "the inputs");
      detail::check_inputs_of_step(network(), inputs, {});
      resize(outputs_, inputs.rows);
      detail::forward_kept(at_, BatchInputs<std::remove_const_t<decltype(inputs)>>{inputs}, draw, outputs_.data());
    }
    return outputs_;
  }
  /// The backward pass through the batch of the last `forward`, once, with the same weights: no step, update or other
  /// batch may come in between, nor a step of another Trainer of the network, or other weights. dy [B][output] is
  /// d(total)/dy of the total to be minimised: the sum over rows of dy times dy/dparameter is added to the accumulated
  /// gradient, and is not divided by the number of rows. `input_gradient` [B][input], if given, becomes d(total)/dx.
  template <class Y = detail::Braced>
  void backward(const Y& dy) {
    if constexpr (check_keeps_batch<Net>() && check_targets<Net, SuppliedGradient, ViewOf<Y>>()) {
      const Work work = begin();
      const auto given = detail::targets_in_order(dy);
      detail::check_kept(at_, given.view.rows);
      detail::backward_kept(at_, given, nullptr);
    }
  }
  template <class Y = detail::Braced>
  void backward(const Y& dy, Tensor<Scalar, InputRow>* input_gradient) {
    if constexpr (check_keeps_batch<Net>() && check_targets<Net, SuppliedGradient, ViewOf<Y>>()) {
      const Work work = begin();
      const auto given = detail::targets_in_order(dy);
      detail::check_kept(at_, given.view.rows);
      resize(*input_gradient, given.view.rows);
      detail::backward_kept(at_, given, input_gradient->data());
    }
  }

  /// Both: forward, then backward from a dy [B][output] that the caller supplies, as above.
  template <class X = detail::Braced, class Y = detail::Braced>
  void backward(const X& x, const Y& dy) {
    if constexpr (check_inputs<Net, X>() && check_targets<Net, SuppliedGradient, ViewOf<Y>>()) {
      if constexpr (std::is_same_v<InputRow, OutputRow>) detail::check_not_kept(at_, view(x).data);
      backward_into(x, dy, nullptr);
    }
  }
  template <class X = detail::Braced, class Y = detail::Braced>
  void backward(const X& x, const Y& dy, Tensor<Scalar, InputRow>& input_gradient) {
    if constexpr (check_inputs<Net, X>() && check_targets<Net, SuppliedGradient, ViewOf<Y>>()) {
      resize(input_gradient, view(x).rows);
      backward_into(x, dy, input_gradient.data());
    }
  }

  /// From now on, recurrent layers begin each batch with the states in which they ended the previous one, row by row.
  /// No gradient goes through these states.
  void carry_state(bool carries = true) { at_.carry_state(carries); }
  void reset_state() { at_.reset_state(); }  ///< the next batch begins other sequences
  /// The rows of a batch of this size whose inputs are read here: all, or, on Ranks, the part of this rank. From then
  /// on, the inputs of other rows may be anything. All ranks call it.
  RowRange rows_to_read(std::size_t batch) const { return at_.rows_to_read(batch); }
  /// Takes labels or other numbers of the rows that each rank reads, and gives all ranks those of the whole batch.
  template <class Value>
  void gather_rows(Value* rows, std::size_t batch) const {
    at_.gather_rows(rows, batch);
  }

  /// Applies the optimizer to the gradient, unless something was not finite: then it returns false.
  bool update() {
    const Work work = begin();
    return detail::make_update(at_);
  }

  /// A factor on the learning rate of a parameter, by name ("0.weight"), or of all those of a layer ("0" or 0) or of a
  /// layer inside another one ("2.path.0"). 0 freezes them, their momentum included. The moving_average() of one that
  /// was frozen goes on from its weights.
  void set_rate_factor(const detail::ParameterPlace& place, double factor) {
    const std::vector<double> before = at_.factors;
    detail::set_rate_factor(at_.factors, Ops::parameters, place, factor);
    if constexpr (KeepsAverage<Optimizer>) detail::average_unfrozen(at_, before);
  }
  void freeze(const detail::ParameterPlace& place) { set_rate_factor(place, 0); }

  /// Gives the network of a moving_average() the average so far; frozen parameters are copied.
  void store_average() {
    at_.look();
    if constexpr (KeepsAverage<Optimizer>) {
      const auto& state = Engine::to_host(at_.state);
      detail::store_average(*at_.net, at_.optimizer, state.data(), at_.factors, at_.steps);
    }
  }

  /// Drops the gradient of what was accumulated.
  void clear() { at_.rows.clear(); }
  /// Empty, or why the last update was skipped: what was not finite, in which step and first in which layer.
  const std::string& problem() const {
    at_.look();
    return at_.problem;
  }
  /// Updates so far.
  long steps() const {
    at_.look();
    return at_.steps;
  }
  /// The learning rate of the next update: the optimizer's, or what its schedule makes of it.
  double rate() const { return detail::rate_of(at_.optimizer, steps()); }
  /// The mean loss of the last batch, including that of the last step made by a captured graph.
  Scalar loss() const {
    at_.look();
    return static_cast<Scalar>(at_.last_loss);
  }
  Optimizer& optimizer() { return at_.optimizer; }
  const Optimizer& optimizer() const { return at_.optimizer; }
  const Loss& criterion() const { return at_.loss; }
  Net& network() { return *at_.net; }
  const Net& network() const { return *at_.net; }

  /// The numbers that the optimizer keeps for a parameter, in place, as many as it has: of Adam 0 is m and 1 is v.
  /// Empty while an optimizer needs none, such as SGD without momentum.
  std::span<Scalar> optimizer_state(const detail::ParameterPlace& place, int number = 0) {
    static_assert(Net::on_host, "sinter: this optimizer's state is in the memory of a GPU: use snapshot()");
    if (number < 0 || number >= Optimizer::states)
      fail(joined({"the state ", std::to_string(number), " of an optimizer with ",
                   static_cast<std::size_t>(Optimizer::states), " was asked for; they count from 0"}));
    const Parameter& p = Ops::parameters[Net::index_of(place)];
    if (at_.arenas().state == nullptr) return {};
    at_.state_is_shared = true;
    return {at_.state.data() + number * Ops::arena_size + p.offset, static_cast<std::size_t>(p.size)};
  }

  /// Whether something was accumulated that update() has not applied.
  bool has_gradient() const { return !at_.rows.empty(); }
  /// The options of the optimizer, with the rate that it was given with, and the loss with its options: what a training
  /// that resumes from a checkpoint must have in common with the one that wrote it.
  NamedOptions options() const { return detail::training_options(at_); }

  using Snapshot = internal::Snapshot<Scalar>;
  Snapshot snapshot() const { return at_.snapshot(); }
  /// Continues from that state, with the parameters that its network has.
  void restore(const Snapshot& snapshot) { at_.restore(snapshot); }

 private:
  static auto view(const auto& x) { return detail::inputs_view<InputRow>(x); }

  template <class Inputs, class Targets>
  void check_batch(const Inputs& inputs, const Targets& targets, Normalize normalize) const {
    detail::check_batch(at_.loss, Net::output_size, inputs, targets);
    detail::check_inputs_of_step(network(), inputs, normalize);
  }
  template <class Inputs, class Targets>
  StepLoss whole_step(const Inputs& inputs, const Targets& targets, Normalize normalize) {
    const Work work = begin();
    clear();
    if constexpr (detail::stepped_on_device<Loss, Optimizer, Engine, Targets>)
      if (detail::rate_problem<Scalar>(at_.optimizer.lr, at_.attempts).empty() &&
          detail::schedule_problem<Scalar>(at_.optimizer, steps()).empty()) {
        check_batch(inputs, targets, normalize);
        return detail::step_on_device(at_, BatchInputs<Inputs>{inputs, {}, normalize}, targets);
      }
    const Scalar loss = add(inputs, targets, nullptr, normalize);
    detail::make_update(at_);
    return loss;
  }
  template <class Inputs, class Targets, class InputGradient>
  Scalar add(const Inputs& inputs, const Targets& targets, InputGradient input_gradient, Normalize normalize = {}) {
    const Work work = begin();
    check_batch(inputs, targets, normalize);
    at_.look();
    return detail::add_given(at_, BatchInputs<Inputs>{inputs, {}, normalize}, targets, at_.loss, input_gradient);
  }
  template <class X, class Y, class InputGradient>
  void backward_into(const X& x, const Y& dy, InputGradient input_gradient) {
    const Work work = begin();
    at_.look();
    const auto inputs = view(x);
    const auto given = detail::targets_in_order(dy);
    detail::check_counts(inputs.rows, given.view.rows);
    detail::check_pointers(inputs, given.view);
    detail::check_inputs_of_step(network(), inputs, {});
    detail::add_given(at_, BatchInputs<std::remove_const_t<decltype(inputs)>>{inputs}, given, SuppliedGradient{},
                      input_gradient);
  }
  template <class Row>
  static void resize(Tensor<Scalar, Row>& tensor, std::size_t rows) {
    if (tensor.rows() != rows) tensor = Tensor<Scalar, Row>(rows);
  }

  Tensor<Scalar, OutputRow> outputs_;
};

template <class Net, class Optimizer>
Trainer(Net&, Optimizer) -> Trainer<Net, SuppliedGradient, Optimizer>;
template <class... Given>
Trainer(const Given&...) -> Trainer<detail::NoNetwork, SuppliedGradient, detail::NoNetwork>;

SINTER_NAMESPACE_END

namespace sinter {
using internal::Trainer;
}  // namespace sinter
