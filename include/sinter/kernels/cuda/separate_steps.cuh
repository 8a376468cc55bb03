// SPDX-License-Identifier: MIT
#pragma once

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>
#include <vector>

#include "sinter/data/batch.hpp"
#include "sinter/kernels/cuda/batch_on_device.cuh"
#include "sinter/kernels/cuda/made_updates.cuh"
#include "sinter/kernels/cuda/states_on_device.cuh"
#include "sinter/kernels/cuda/step_launcher.cuh"

SINTER_NAMESPACE_BEGIN

namespace gpu_kernels {

/// The progress of a Trainer: updates made, and steps tried.
struct StepCounts {
  long steps = 0, tried = 0;
  friend bool operator==(const StepCounts&, const StepCounts&) = default;
};

/// The counters of steps that are made one at a time, in device memory.
struct StepRecord {
  static constexpr std::uint32_t kept_losses = 256;
  StepStatus status{};
  Changes changes{};
  Epoch epoch{};
  double losses[kept_losses] = {};  // of the last steps: sums over rows
};

/// Launches training steps one at a time, and waits for none of them. Their outcome stays on the device until it is
/// requested. On data in device memory, a step can be captured into a CUDA graph of the user.
template <class Model, class T, CudaPlan Wanted>
class SeparateSteps {
  using Ops = Program<Model>;

 public:
  explicit SeparateSteps(const Loaded& loaded) : loaded_(loaded) {}

  /// A step, the masks of its batch keyed by the steps that were tried as far as the Trainer knows. Returns its number
  /// among those; none in a capture.
  template <class Steps, class View, class Targets, class Loss, class Optimizer>
  long launch(Steps& step, StatesOnDevice<Model, T>& states,
              const TrainingBatch<BatchInputs<View>, BatchTargets<Targets>>& batch, const Loss& loss,
              const UpdateStep<Optimizer>& update, const Arenas<T>& arenas) {
    const std::size_t rows = batch.rows;
    const std::uint64_t seed = batch.key.seed;
    StepCounts counts{update.step, static_cast<long>(batch.key.step)};
    const bool captured = is_captured();
    if (captured) check_capture<View, Targets>(rows, ahead_ || counts == known_, update, states.carries());
    if (!captured && (seed != seed_ || (!ahead_ && !(counts == known_)))) {
      if (ahead_) counts = look().counts;
      push(seed, counts);
    }
    if (!captured) send_updates(update);

    const auto data = batch_.rows(batch.inputs, rows, batch.targets);
    StepInput<std::remove_const_t<decltype(data)>, Loss> input{};
    input.data = data;
    input.loss = loss;
    StepRecord* record = record_.template reserve<StepRecord>(1);
    input.epoch = &record->epoch;
    Counter counter;
    counter.status = &record->status;
    counter.epoch = &record->epoch;
    counter.losses = record->losses;
    counter.kept_losses = StepRecord::kept_losses;
    step.template train<false>(loaded_.device, input, {rows, T(1) / static_cast<T>(rows)}, arenas.parameters, nullptr,
                               states.begin_batch(rows), counter);
    if constexpr (made_on_device<Optimizer>) {
      auto& updates = made_.template make<T, Optimizer>(&record->status);
      step.template finish<Optimizer>(loaded_.device, updates, arenas, counter);
    } else {
      counter.changes = &record->changes;
      step.template finish<Optimizer>(loaded_.device, updates_, arenas, counter);
    }
    ahead_ = true;
    captured_ |= captured;
    rows_ = rows;
    if (captured) return -1;
    if (std::find(seen_.begin(), seen_.end(), rows) == seen_.end()) seen_.push_back(rows);
    return known_.tried + static_cast<long>(launched_++);
  }

  /// Whether steps were made since the last `look`; graphs may have made some, too.
  bool ahead() const { return ahead_ || captured_; }
  /// Their outcome; waits for it. `unsound`: the last one was left out.
  struct Outcome {
    StepCounts counts;
    bool unsound;
    double loss;  // of the last one, the mean over its rows
  };
  Outcome look() {
    StepRecord record;
    download(record);
    const auto tried = static_cast<long>(record.status.tried);
    known_ = {static_cast<long>(record.status.steps), tried};
    launched_ = 0;
    ahead_ = false;
    return {known_, record.status.tried != 0 && record.status.unsound == record.status.tried,
            mean(record, tried - 1, rows_)};
  }
  /// The mean loss of step `number`; waits for it.
  T loss(long number, std::size_t rows) const {
    if (number < 0)
      fail("the loss of a step that was captured is not known here; launch its graph, and call the Trainer's loss()");
    StepRecord record;
    download(record);
    const long tried = static_cast<long>(record.status.tried);
    if (number >= tried || tried - number > static_cast<long>(StepRecord::kept_losses))
      fail("the loss of step " + std::to_string(number) + " was asked for after step " + std::to_string(tried - 1) +
           ", and the last " + std::to_string(StepRecord::kept_losses) + " are kept; ask sooner");
    return static_cast<T>(mean(record, number, rows));
  }

 private:
  static double mean(const StepRecord& record, long number, std::size_t rows) {
    return record.losses[static_cast<std::size_t>(number) % StepRecord::kept_losses] / static_cast<double>(rows);
  }
  void download(StepRecord& record) const {
    std::byte bytes[sizeof(StepRecord)];
    record_.download(bytes, sizeof bytes);
    std::memcpy(&record, bytes, sizeof bytes);
  }

  /// Steps that the host made in another way.
  void push(std::uint64_t seed, StepCounts counts) {
    StepRecord record;
    record.status.steps = static_cast<std::uint32_t>(counts.steps);
    record.status.tried = static_cast<std::uint32_t>(counts.tried);
    record.epoch.key = {seed, static_cast<std::uint32_t>(counts.tried)};
    record_.upload(&record, 1);
    known_ = counts;
    seed_ = seed;
    launched_ = 0;
    sent_.clear();
  }

  /// An optimizer whose update changes with each step is computed on the device, which knows which one is next.
  template <class Optimizer>
  static constexpr bool made_on_device = always_changes<Optimizer> && ComputedAnywhere<Optimizer>;

  /// The optimizer's updates in the next steps, as long as it does not change. Where only the host can compute them, it
  /// sends twice as many each time, enough for all launched steps, because it does not know how many were applied.
  template <class Optimizer>
  void send_updates(const UpdateStep<Optimizer>& update) {
    const bool same = sent_ == text_of(update.optimizer) && sent_factors_ == update.factors;
    const long last = known_.steps + static_cast<long>(launched_);
    if (same && (settled_ || last < end_)) return;
    if constexpr (made_on_device<Optimizer>) {
      made_.template send<T>(update);
      settled_ = true;
    } else {
      if (!same) more_ = 2;
      if (last - known_.steps > most_unknown) look();
      more_ = std::min(2 * more_, most_more);
      const std::size_t wanted = static_cast<std::size_t>(known_.steps == last ? 0 : last - known_.steps) + more_,
                        made = changes<Optimizer>(known_.steps, wanted);
      settled_ = made < wanted;
      end_ = known_.steps + static_cast<long>(made);
      std::vector<typename Optimizer::template Update<T>> all;
      Updates<Ops>::add(all, UpdateStep{update.optimizer, known_.steps, update.factors}, made);
      updates_.upload(all, update.factors);
      const Changes sent{static_cast<std::uint32_t>(known_.steps), static_cast<std::uint32_t>(made)};
      record_.upload_at(offsetof(StepRecord, changes), sent);
    }
    sent_ = text_of(update.optimizer);
    sent_factors_ = update.factors;
  }
  template <class Optimizer>
  static std::string text_of(const Optimizer& optimizer) {
    static_assert(std::is_trivially_copyable_v<Optimizer>);
    std::string text(sizeof optimizer, '\0');
    std::memcpy(text.data(), &optimizer, sizeof optimizer);
    return text;
  }

  bool is_captured() const {
    if (loaded_.device.stream == nullptr) return false;
    cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    cuda_check(cudaStreamIsCapturing(loaded_.device.stream, &status), "asking whether a stream is captured");
    return status == cudaStreamCaptureStatusActive;
  }
  /// A graph repeats the same launches: all their memory must be allocated before.
  template <class View, class Targets, class Optimizer>
  void check_capture(std::size_t rows, bool counted, const UpdateStep<Optimizer>& update, bool carries) const {
    if (carries)
      fail(
          "a step that carries the states of recurrent layers was captured, and a graph would begin each time with the "
          "same ones; launch such steps, or call carry_state(false)");
    if constexpr (!on_device<View> || !on_device<Targets>)
      fail(
          "a step that is captured was given data in the memory of the host; give it inputs and targets on the device");
    if (!counted || std::find(seen_.begin(), seen_.end(), rows) == seen_.end())
      fail("a step on " + std::to_string(rows) +
           " rows was captured before one was made; make one outside of the capture first, which allocates what it "
           "needs");
    if (sent_ != text_of(update.optimizer) || sent_factors_ != update.factors)
      fail(
          "the optimizer was changed since the last step, and then a step was captured; make one outside of the "
          "capture first, which sends its numbers");
    if (!settled_)
      fail(
          std::string("a step was captured with ") + Optimizer::name +
          ", of which only the host computes the update of each step; where a GPU can, too, say `static constexpr bool "
          "anywhere = true` in it and in its schedule, and SINTER_HOST_DEVICE before their functions, or launch steps");
  }

  static constexpr long most_unknown = 4096;
  static constexpr std::size_t most_more = 256;

  Loaded loaded_;
  Buffer record_{loaded_.device};
  BatchOnDevice<Model, T> batch_{loaded_.device};
  Updates<Ops> updates_{loaded_.device};
  MadeUpdates<Ops> made_{loaded_.device};
  StepCounts known_{-1, -1};  // as last read by the host
  std::uint64_t seed_ = 0;    // of the masks
  std::size_t launched_ = 0;  // since then
  bool ahead_ = false, captured_ = false, settled_ = false;
  std::size_t rows_ = 1, more_ = 1;
  std::vector<std::size_t> seen_;  // numbers of rows
  std::string sent_;               // the optimizer whose updates were sent, as bytes
  std::vector<double> sent_factors_;
  long end_ = 0;  // and until which step
};

/// The mean loss of a training step, which stays on the device until it is converted into a number; that waits for the
/// step. Valid as long as its Trainer, and for 256 steps.
template <class Model, class T, CudaPlan Wanted>
class StepLoss {
 public:
  StepLoss() = default;
  StepLoss(T known) : known_(known) {}
  StepLoss(const SeparateSteps<Model, T, Wanted>& steps, long number, std::size_t rows)
      : steps_(&steps), number_(number), rows_(rows) {}
  operator T() const { return steps_ == nullptr ? known_ : steps_->loss(number_, rows_); }

 private:
  const SeparateSteps<Model, T, Wanted>* steps_ = nullptr;
  T known_ = 0;
  long number_ = 0;
  std::size_t rows_ = 1;
};

}  // namespace gpu_kernels

SINTER_NAMESPACE_END
