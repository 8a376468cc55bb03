// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "sinter/kernels/cuda/orders.cuh"
#include "sinter/kernels/cuda/recording.cuh"
#include "sinter/kernels/cuda/resident_launcher.cuh"
#include "sinter/kernels/cuda/states_on_device.cuh"
#include "sinter/kernels/cuda/step_launcher.cuh"
#include "sinter/kernels/steps.hpp"

SINTER_NAMESPACE_BEGIN

namespace gpu_kernels {

/// Launches many training steps on a kept dataset, and waits once, at their end.
template <class Model, class T, CudaPlan Wanted>
class RunLauncher {
  using Ops = Program<Model>;
  using Resident = ResidentLauncher<Model, T, Wanted>;

 public:
  explicit RunLauncher(const Loaded& loaded) : loaded_(loaded) {}

  /// The plan for a batch. Fails if the device has too little memory for the requested one.
  template <int States>
  CudaPlan plan(std::size_t batch) const {
    using Choose = gpu_kernels::Choose<Model, T, States, Wanted>;
    const CudaPlan chosen = Choose::plan(static_cast<int>(batch), loaded_.shared);
    if (!Choose::fits(chosen, loaded_.shared)) loaded_.fail_to_fit(chosen);
    return chosen;
  }
  /// The most steps of one call: with more, the host would wait too long.
  template <int States>
  std::size_t most_steps(std::size_t batch) const {
    if (plan<States>(batch) != CudaPlan::resident) return most_recorded;
    return std::clamp(Orders::most_numbers / std::max(batch, std::size_t{1}), std::size_t{1}, Resident::most_steps);
  }

  /// Some steps, launched by `step`.
  template <class Steps, class Kept, class Loss, class Optimizer>
  StepsDone run(Steps& step, StatesOnDevice<Model, T>& states, const Kept& kept, const StepsWanted& wanted,
                const Loss& loss, const UpdateStep<Optimizer>& update, const Arenas<T>& arenas) {
    const std::size_t size = kept.size - wanted.order.held_out.count, rows = std::min(wanted.batch, size);
    if (plan<Optimizer::states>(rows) == CudaPlan::resident) {
      const MemberSteps<T, Optimizer> only{arenas.parameters,
                                           arenas.gradient,
                                           update.optimizer,
                                           wanted.order,
                                           wanted.first / rows,
                                           wanted.count,
                                           static_cast<std::size_t>(update.step)};
      return resident_
          .run(kept, rows, loss, std::span(&only, 1), arenas.state, update.factors, states.first_of_sequence(rows))
          .front();
    }
    return run_steps(step, states, kept, wanted, {size, rows, (size + rows - 1) / rows}, loss, update, arenas);
  }

 private:
  /// In a graph, and at once.
  static constexpr std::size_t recorded = 16, most_recorded = 256;

  struct EpochSize {
    std::size_t rows, of_step, steps;
  };

  template <class Steps, class Kept, class Loss, class Optimizer>
  StepsDone run_steps(Steps& step, StatesOnDevice<Model, T>& states, const Kept& kept, const StepsWanted& wanted,
                      const EpochSize& epoch, const Loss& loss, const UpdateStep<Optimizer>& update,
                      const Arenas<T>& arenas) {
    using Data = std::remove_cvref_t<decltype(kept.template rows<T>())>;
    using Update = typename Optimizer::template Update<T>;
    constexpr int heads = static_cast<int>(heads_of_loss<Loss>);
    const std::size_t count = wanted.count, done = wanted.first / epoch.of_step;
    const std::size_t made = changes<Optimizer>(update.step, count);
    std::vector<Update> updates;
    Updates<Ops>::add(updates, update, made);
    updates_.upload(updates, update.factors);
    const Orders::Epochs orders{wanted.order, epoch.rows, (done + count + epoch.steps - 1) / epoch.steps};
    const std::vector<Epoch> epochs = orders_.of(std::vector<Orders::Epochs>(1, orders));
    const StepRange range{static_cast<std::uint32_t>(epoch.rows),
                          static_cast<std::uint32_t>(epoch.of_step),
                          static_cast<std::uint32_t>(epoch.steps),
                          static_cast<std::uint32_t>(done),
                          static_cast<std::uint32_t>(count),
                          {0, static_cast<std::uint32_t>(made)},
                          epochs_.upload(epochs.data(), epochs.size()),
                          static_cast<std::uint32_t>(wanted.order.chunks)};
    const StepStatus clean{};
    Counter counter;
    counter.status = status_.upload(&clean, 1);
    counter.range = range_.upload(&range, 1);
    counter.changes = &counter.range->changes;
    counter.losses = losses_.template reserve<double>(std::max(count, most_recorded) * loss_sums<Loss>);
    counter.kept_losses = static_cast<std::uint32_t>(most_recorded);
    counter.stops = true;

    StepInput<Data, Loss> input{};
    input.data = kept.template rows<T>();
    input.loss = loss;
    const Carried<T> carried = states.first_of_sequence(epoch.of_step);
    const auto launch_one = [&](const Cuda& on, std::size_t rows, std::size_t last) {
      step.template train<false>(on, input, {rows, T(0), last}, arenas.parameters, nullptr, carried, counter);
      step.template finish<Optimizer, heads>(on, updates_, arenas, counter);
    };
    const auto launch = [&](const Cuda& on, std::size_t some) {
      for (std::size_t i = 0; i < some; ++i) launch_one(on, epoch.of_step, epoch.rows % epoch.of_step);
    };
    const auto key = [&] {
      using Kernel = TrainTiles<Model, T, Data, Loss, false>;
      return bytes_of(kernel_of<Kernel>(), kernel_of<ApplyUpdate<Update, Optimizer::states, heads>>(),
                      input.data.inputs, input.data.targets, arenas.parameters, arenas.gradient, arenas.state,
                      updates_.groups(), epoch.of_step, epoch.rows % epoch.of_step, updates_.group_of(), carried.before,
                      carried.after, generations(step)) +
             bytes_of_numbers(input.data.scale, input.data.shift, loss);
    };
    // The last launch of a graph may have surplus steps, which do nothing. A few steps are launched directly.
    std::size_t left = count;
    if constexpr (Steps::divides)  // ranks exchange numbers between the kernels of a step
      for (; left > 0; --left)
        launch_one(loaded_.device,
                   std::min(epoch.of_step, epoch.rows - (done + count - left) % epoch.steps * epoch.of_step), 0);
    for (; left > recorded / 4; left -= std::min(left, recorded))
      recordings_.make(
          loaded_.device, key, [&](const Cuda& on) { launch(on, recorded); },
          [&](const Cuda& on) { launch(on, std::min(left, recorded)); });
    launch(loaded_.device, left);

    done_losses_.resize(count * loss_sums<Loss>);
    losses_.download(done_losses_.data(), done_losses_.size());
    StepStatus after;
    status_.download(&after, 1);
    const std::size_t applied = after.steps;
    return {std::span<const double>(done_losses_).first(std::min(count, applied + after.stopped) * loss_sums<Loss>),
            applied};
  }

  template <class Steps>
  std::size_t generations(const Steps& step) const {
    return step.generations() + updates_.generation() + status_.generation() + losses_.generation() +
           range_.generation();
  }
  template <class Loss>
  static std::string bytes_of_numbers(const T& scale, const T& shift, const Loss& loss) {
    std::string bytes;
    bytes.append(reinterpret_cast<const char*>(&scale), sizeof scale);
    bytes.append(reinterpret_cast<const char*>(&shift), sizeof shift);
    if constexpr (!std::is_empty_v<Loss>) bytes.append(reinterpret_cast<const char*>(&loss), sizeof loss);
    return bytes;
  }

  Loaded loaded_;
  Resident resident_{loaded_};
  Orders orders_{loaded_.device};
  Updates<Ops> updates_{loaded_.device};
  Buffer status_{loaded_.device}, losses_{loaded_.device}, epochs_{loaded_.device}, range_{loaded_.device};
  std::vector<double> done_losses_;
  Recordings recordings_;
};

}  // namespace gpu_kernels

SINTER_NAMESPACE_END
