// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <string>
#include <type_traits>

#include "sinter/core/error.hpp"
#include "sinter/core/finite.hpp"
#include "sinter/core/number_text.hpp"
#include "sinter/data/batch.hpp"
#include "sinter/kernels/apply_optimizer.hpp"
#include "sinter/kernels/host/step/fixed_training_memory.hpp"
#include "sinter/kernels/host/step/update.hpp"
#include "sinter/kernels/step_arguments.hpp"
#include "sinter/kernels/trial_update.hpp"
#include "sinter/loss/probe.hpp"
#include "sinter/loss/target_range.hpp"
#include "sinter/loss/weight.hpp"
#include "sinter/network/model_of.hpp"
#include "sinter/network/unpacked.hpp"
#include "sinter/optimizer/clip_grad.hpp"
#include "sinter/optimizer/moving_average.hpp"
#include "sinter/optimizer/scheduled.hpp"
#include "sinter/train/options_below_one.hpp"
#include "sinter/train/problem.hpp"

SINTER_NAMESPACE_BEGIN

/// Trains a network, or the last layers of one, without a heap: on a microcontroller, in an audio callback. The object
/// contains all memory, for batches of up to Rows rows: make it static. It uses no threads, locks, exceptions or files,
/// and a step has the bits of Trainer::step on one thread.
///
///     static FixedTrainer<Model, CrossEntropyLoss, SGD, 8> trainer(weights, {}, {.lr = 0.01});
///     static const View<Model> net(trainer.weights());  // always the newest weights
///     const float loss = trainer.step(x, labels);
///
/// Layers that take statistics over a batch (BatchNorm) and clipping by norm are refused.
template <class ModelType, class Loss, class Optimizer, std::size_t Rows, class Isa = isa::Native,
          class Distinct = detail::ModelOf<ModelType>>
class FixedTrainer {
  using Ops = Program<Distinct>;
  static constexpr bool has_statistics = host_kernels::BatchMemory<Distinct>::used;
  static_assert(Rows > 0, "sinter: a FixedTrainer trains on batches of at least 1 row");
  static_assert(!has_statistics,
                "sinter: a FixedTrainer has no memory for the statistics of batches: this network contains BatchNorm; "
                "use GroupNorm or LayerNorm, or train the layers after the last BatchNorm");
  static_assert(!ClipsNorm<Optimizer>,
                "sinter: a FixedTrainer does not clip gradients by their norm; give it the optimizer alone");
  static_assert(!KeepsAverage<Optimizer>,
                "sinter: a FixedTrainer keeps no average of the weights; give it the optimizer alone");
  static constexpr bool whole_rows = !requires { Loss::classes_of_position; } && !WeighsHeads<Loss>;
  static_assert(
      whole_rows,
      "sinter: a FixedTrainer has losses of whole rows: neither at_each_step or at_each_pixel, nor heads with "
      "weights of classes");
  static constexpr bool fits = !ModelType::valid || detail::fits_outputs<Loss, ModelType::OutputRow::size>;
  static_assert(fits,
                "sinter: this loss reads another number of outputs than the network has: its `outputs` says how many; "
                "end the network in as many, or correct that number");

  using Plan = TilePlan<Distinct, float, Isa>;
  using Tile = host_kernels::Tile<Plan, true>;
  static constexpr std::size_t arena = static_cast<std::size_t>(Ops::arena_size);
  using Memory = host_kernels::FixedTrainingMemory<Distinct, float, Isa, Rows, heads_of_loss<Loss>>;

 public:
  using Model = Distinct;
  using InputRow = typename Model::InputRow;
  using OutputRow = typename Model::OutputRow;
  static constexpr std::size_t max_batch() { return Rows; }

  /// Starts from these weights, of export_header() or save_packed(). `seed` is for the masks of dropout.
  template <class Weights>
    requires std::is_constructible_v<Unpacked<ModelType>, const Weights&>
  explicit FixedTrainer(const Weights& weights, Loss loss = {}, Optimizer optimizer = {}, std::uint32_t seed = 0)
      : weights_(weights), loss_(loss), optimizer_(optimizer), seed_(seed) {
#if SINTER_MESSAGES
    optimizer.check();
    detail::check_options_in<float>(optimizer);
    detail::check_options_below_one<float>(optimizer);
    detail::check_options(loss);
    if constexpr (heads_of_loss<Loss> > 0)
      loss_.for_each([](int, const auto& head) {
        check_rows<std::remove_cvref_t<decltype(head)>::size>(head.loss, head.target_size);
      });
    else
      check_rows<OutputRow::size>(loss_, target_size<Loss>(OutputRow::size));
#endif
  }

  /// One step on a batch of 1 to Rows rows. Returns the mean loss before the update, or NaN where the loss, a gradient
  /// or a weight would not be finite: then nothing has changed. More rows, or a label that is not a class, end the
  /// program with a message.
  template <class T, class Label, std::size_t Extent>
    requires std::is_same_v<typename Loss::Target, ClassTarget>
  float step(TensorView<T, InputRow> x, std::span<Label, Extent> labels) noexcept {
    check_counts(x.rows, labels.size(), x.data == nullptr);
    for (const Label label : labels)
      if (static_cast<std::int64_t>(label) < 0 || static_cast<std::int64_t>(label) >= OutputRow::size)
        if (!detail::ignores(loss_, label)) refuse_label(static_cast<double>(label), OutputRow::size);
    return step_on(x, BatchTargets<std::span<const std::remove_const_t<Label>>>{labels});
  }
  /// The same with a row of targets for each.
  template <class T, class U, class Row>
    requires(!std::is_same_v<typename Loss::Target, ClassTarget>)
  float step(TensorView<T, InputRow> x, TensorView<U, Row> targets) noexcept {
    static_assert(Row::size == target_size<Loss>(OutputRow::size),
                  "sinter: a step was given targets of another size than the outputs of the network");
    check_counts(x.rows, targets.rows, x.data == nullptr || targets.data == nullptr);
    if constexpr (heads_of_loss<Loss> > 0 || detail::LimitsTargets<Loss>)
      for (std::size_t row = 0; row < targets.rows; ++row) check_targets(targets, row);
    return step_on(x, BatchTargets<TensorView<const std::remove_const_t<U>, Row>>{targets});
  }

  /// The weights as they are now: for a View, which follows them, or to be stored.
  const Unpacked<ModelType>& weights() const { return weights_; }
  /// Its `lr` may be changed between steps. Options that cannot be right end the program with a message in a step.
  Optimizer& optimizer() { return optimizer_; }
  /// The learning rate of the next update: the optimizer's, or what its schedule makes of it.
  double rate() const { return detail::rate_of(optimizer_, steps_); }
  /// Updates so far.
  long steps() const { return steps_; }

 private:
  /// What updates the weights.
  struct Numbers {
    template <int States, class Update>
    static float update_numbers(const Update& step, float* parameters, const float* gradient, float* state, int stride,
                                int begin, int end) {
      return host_kernels::update_numbers<States, typename Plan::ISA, typename Plan::Wide>(step, parameters, gradient,
                                                                                           state, stride, begin, end);
    }
  };

  template <class T, class Targets>
  float step_on(TensorView<T, InputRow> x, const Targets& targets) {
    if constexpr (has_statistics)
      return 0;  // refused
    else
      return sound_step(x, targets);
  }
  template <class T, class Targets>
  float sound_step(TensorView<T, InputRow> x, const Targets& targets) {
    const BatchInputs<TensorView<const std::remove_const_t<T>, InputRow>> inputs{x};
    const double weight = weight_of(targets, x.rows);
    const TrainingBatch batch{inputs, x.rows, targets, positions.data(), {seed_, static_cast<std::uint32_t>(tried_++)}};
    const GradientSum<float> to{static_cast<float>(detail::mean_factor(weight)), gradient_.data(), nullptr, 0.0f,
                                nullptr};
    host_kernels::BatchPasses<Memory, Tile, std::remove_const_t<decltype(batch)>, Loss, GradientSum<float>> passes{
        memory_, memory_.pool, weights_.data(), batch, loss_, to};
    const double sum = passes.run(), mean = weight > 0 ? sum / weight : sum;
    if (!is_finite(mean) || !all_finite<Isa>(gradient_.data(), arena) || !update())
      return std::numeric_limits<float>::quiet_NaN();
    return static_cast<float>(mean);
  }
  template <class Targets>
  double weight_of(const Targets& targets, std::size_t rows) const {
    if constexpr (WeighsClasses<Loss>) {
      double total = 0;
      for (std::size_t i = 0; i < rows; ++i) total += loss_.weight_of(targets.label(i));
      return total;
    } else {
      return static_cast<double>(rows);
    }
  }
  /// Whether it was made: all weights are finite after it.
  bool update() {
    if (!is_finite(static_cast<float>(optimizer_.lr))) return false;
#if SINTER_MESSAGES
    optimizer_.check();  // its options may have been assigned to
#endif
    if (!is_finite(static_cast<float>(rate())) || !(rate() >= 0)) return false;
    const auto update = optimizer_.template at<float>(steps_);
    constexpr int size = Ops::arena_size;
    std::atomic<bool> finite{true};
    TrialUpdate<Numbers, float>{numbers_, size, finite}.template update<Optimizer::states>(
        update, weights_.data(), gradient_.data(), state_.data(), 0, size);
    if (!finite.load(std::memory_order_relaxed)) return false;
    Numbers::template update_numbers<Optimizer::states>(update, weights_.data(), gradient_.data(), state_.data(), size,
                                                        0, size);
    ++steps_;
    return true;
  }

  /// See LossProbe.
  template <int Outputs, class Compared>
  static void check_rows(const Compared& loss, int targets) {
    const auto fault = detail::fault_of<float, Compared, Outputs>(loss, Outputs, targets);
    if (fault.kind != detail::LossFault::none)
      end_program([&] { return fault_text(detail::name_of_loss<Compared>(), fault, Outputs, targets); });
  }
  static void check_counts([[maybe_unused]] std::size_t rows, [[maybe_unused]] std::size_t targets,
                           [[maybe_unused]] bool nowhere) {
    if (rows == 0 || rows > Rows || rows != targets || nowhere)
      end_program([&] {
        return "a step was given " + std::to_string(rows) + " rows with " + std::to_string(targets) + " targets" +
               (nowhere ? " at a null pointer" : "") + ", expected 1 to " + std::to_string(Rows) +
               " rows with as many targets; divide larger batches, or make a FixedTrainer for more rows";
      });
  }
  template <class U, class Row>
  void check_targets(const TensorView<U, Row>& targets, std::size_t row) const {
    float wanted[Row::size];
    copy_row(targets, row, wanted);
    if constexpr (heads_of_loss<Loss> > 0)
      loss_.for_each([&](int, const auto& head) {
        if (const int wrong = head.first_wrong(static_cast<const float*>(wanted)); wrong >= 0)
          refuse_label(double{wanted[head.wanted + wrong]}, head.class_count);
        check_numbers(head.loss, wanted + head.wanted, head.target_size);
      });
    else
      check_numbers(loss_, wanted, Row::size);
  }
  template <class Compared>
  static void check_numbers(const Compared& loss, const float* wanted, int count) {
    if constexpr (detail::LimitsTargets<Compared>)
      for (int k = 0; k < count; ++k)
        if (!loss.takes_target(double{wanted[k]}))
          end_program([&] {
            return "a step was given the target " + exact_text(wanted[k]) + ", and " + Compared::name +
                   " compares with " + loss.targets_taken() + "; check the targets";
          });
  }
  [[noreturn]] SINTER_COLD static void refuse_label([[maybe_unused]] double label, [[maybe_unused]] int classes) {
    end_program([&] {
      return "a step was given the label " + exact_text(label) + ", expected a class from 0 to " +
             std::to_string(classes - 1) + "; check the labels";
    });
  }

  static constexpr auto positions = [] {
    std::array<std::uint32_t, Rows> all{};
    std::iota(all.begin(), all.end(), 0u);
    return all;
  }();

  Unpacked<ModelType> weights_;
  Loss loss_;
  Optimizer optimizer_;
  std::uint32_t seed_;
  long steps_ = 0, tried_ = 0;
  [[no_unique_address]] Numbers numbers_;
  alignas(64) std::array<float, arena> gradient_{};
  alignas(64) std::array<float, arena * Optimizer::states> state_{};
  Memory memory_;
};

/// The bytes of a FixedTrainer, weights included: for static_assert.
template <class ModelType, class Loss, class Optimizer, std::size_t Rows, class Distinct = detail::ModelOf<ModelType>>
inline constexpr std::size_t fixed_trainer_bytes =
    sizeof(FixedTrainer<ModelType, Loss, Optimizer, Rows, isa::Native, Distinct>);

SINTER_NAMESPACE_END

namespace sinter {
using internal::fixed_trainer_bytes;
using internal::FixedTrainer;
}  // namespace sinter
