// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <type_traits>

#include "sinter/kernels/step_arguments.hpp"
#include "sinter/loss/weight.hpp"
#include "sinter/ranks/communicator.hpp"
#include "sinter/ranks/micro_batches.hpp"
#include "sinter/ranks/pipeline_stage.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {

/// Forward and backward of a batch through the stages of a rank, micro-batch by micro-batch.
template <class Parts, class T, class Batch, class Loss, class To>
class PipelinePasses {
  static constexpr int last = Parts::last;
  using InputGradient = decltype(To::input_gradient);

 public:
  PipelinePasses(Parts& stages, const T* parameters, const Batch& batch, std::size_t micro_batches, const Loss& loss,
                 const To& to)
      : stages_(stages),
        parameters_(parameters),
        batch_(batch),
        micro_(batch.rows, micro_batches),
        loss_(loss),
        to_(to) {}

  /// The sum of the losses, on all ranks.
  double run() {
    stages_.for_each([&](auto s, auto& stage) { stage.reserve(micro_.most_rows(), kept_by<decltype(s)::value>()); });
    for (int tick = 0; tick < micro_.ticks(2 * last); ++tick) {
      stages_.for_each([&](auto s, auto& stage) {
        constexpr int S = decltype(s)::value;
        if constexpr (S < last) {  // backward first: the micro-batch that goes forward takes its place
          micro_.at(tick - 2 * last + S, [&](auto... of) { this->template backward<S>(stage, of...); });
          micro_.at(tick - S, [&](auto... of) { this->template forward<S>(stage, of...); });
        } else {
          micro_.at(tick - S, [&](auto... of) { this->template both<S>(stage, of...); });
        }
      });
      stages_.pass_on(micro_, tick, true);
    }
    return share_losses();
  }

 private:
  static constexpr std::size_t heads = heads_of_loss<Loss>;

  /// How many micro-batches of a stage wait for their backward pass.
  template <int S>
  static constexpr std::size_t waiting = S == last ? 1 : 2 * std::size_t{last - S};
  template <int S>
  std::size_t kept_by() const {
    return std::min(micro_.count(), waiting<S>);
  }

  template <int S>
  const T* parameters() const {
    return stages_.parameters_of(S, parameters_);
  }
  template <int S>
  T* gradient() const {
    return stages_.numbers_of(S, to_.gradient, 1, false);
  }
  T fraction(std::size_t number) const { return number == 0 ? to_.fraction : T(1); }
  template <int S, class Stage>
  auto input_gradient(Stage& stage, [[maybe_unused]] std::size_t first) const {
    if constexpr (S > 0)
      return stage.dx.data();
    else if constexpr (std::is_null_pointer_v<InputGradient>)
      return nullptr;
    else
      return to_.input_gradient + first * static_cast<std::size_t>(Stage::InputRow::size);
  }

  /// Rows of the batch, with what stage S reads of them.
  template <int S, class Stage, class Targets>
  auto rows_of(Stage& stage, std::size_t first, std::size_t rows, const Targets& targets) const {
    return TrainingBatch{.inputs = Parts::template inputs_of<S>(stage, batch_.inputs, first, rows),
                         .rows = rows,
                         .targets = targets,
                         .samples = batch_.samples + first,
                         .key = batch_.key};
  }
  template <int S, class Stage>
  void forward(Stage& stage, std::size_t number, std::size_t first, std::size_t rows) {
    stage.forward(parameters<S>(), rows_of<S>(stage, first, rows, not_given), number % waiting<S>);
  }
  template <int S, class Stage>
  void backward(Stage& stage, std::size_t number, std::size_t first, std::size_t rows) {
    const auto dx = input_gradient<S>(stage, first);
    stage.backward(parameters<S>(), rows, number % waiting<S>,
                   GradientSum<T, std::remove_const_t<decltype(dx)>>{T(1), gradient<S>(), dx, fraction(number)});
  }
  /// Forward, the loss, and backward.
  template <int S, class Stage>
  void both(Stage& stage, std::size_t number, std::size_t first, std::size_t rows) {
    auto targets = batch_.targets;
    targets.choice = from_row(targets.choice, first);
    const auto dx = input_gradient<S>(stage, first);
    std::array<double, heads + 1> of_heads{};
    losses_[0] += stage.accumulate(parameters<S>(), rows_of<S>(stage, first, rows, targets), loss_,
                                   GradientSum<T, std::remove_const_t<decltype(dx)>>{
                                       to_.scale, gradient<S>(), dx, fraction(number), of_heads.data()});
    for (std::size_t h = 0; h < heads; ++h) losses_[h + 1] += of_heads[h];
  }

  double share_losses() {
    Exchange exchange(stages_.world());
    exchange.share(stages_.owner(last), losses_.data(), losses_.size());
    if constexpr (!std::is_null_pointer_v<InputGradient>)
      exchange.share(0, to_.input_gradient, batch_.rows * static_cast<std::size_t>(Parts::inputs));
    exchange.run();
    if (to_.losses_of_heads != nullptr) std::copy_n(losses_.begin() + 1, heads, to_.losses_of_heads);
    return losses_[0];
  }

  Parts& stages_;
  const T* parameters_;
  const Batch& batch_;
  MicroBatches micro_;
  const Loss& loss_;
  const To& to_;
  std::array<double, heads + 1> losses_{};  // of all, and of each head
};

}  // namespace detail

SINTER_NAMESPACE_END
